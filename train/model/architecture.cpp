#include "architecture.hpp"
#include "../../core/plural.hpp"
#include "../../nn/encoder_decoder.hpp"
#include "../config/choices.hpp"
#include "parts.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Rows = std::vector<std::vector<int>>;

Index length(const std::vector<int>& row) { return static_cast<Index>(row.size()); }

Index longest(const Rows& rows) {
  Index most = 0;
  for (const auto& row : rows) most = std::max(most, length(row));
  return most;
}

/// Stacks rows as i32 (rows, time), with `padding` after shorter rows.
Tensor stacked(const Rows& rows, Index time, int padding) {
  Tensor ids = full({static_cast<Index>(rows.size()), time}, padding, DType::i32);
  auto* id = ids.mutable_data<std::int32_t>();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), id);
    id += time;
  }
  return ids;
}

/// Returns tokens from `begin` to the end of each row, as i32 (rows, time).
Tensor from(const Rows& rows, Index begin) {
  Rows ends;
  for (const auto& row : rows) ends.emplace_back(row.begin() + begin, row.end());
  return stacked(ends, longest(ends), 0);
}

void append_tokens(Rows& rows, const std::vector<int>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) rows[i].push_back(tokens[i]);
}

/// Returns the logits at position `time`: (rows, time, vocabulary) -> (rows, vocabulary).
Tensor at(const Tensor& logits, Index time) {
  return reshape(slice(logits, 1, time, time + 1), Shape{logits.dim(0), logits.dim(2)});
}

Rows questions_of(const std::vector<Example>& examples) {
  Rows rows;
  for (const Example& e : examples) {
    check_positions(e);
    rows.emplace_back(e.tokens.begin(), e.tokens.begin() + e.question);
  }
  return rows;
}
Rows answers_of(const std::vector<Example>& examples) {
  Rows rows;
  for (const Example& e : examples)
    rows.emplace_back(e.tokens.begin() + e.question, e.tokens.end());
  return rows;
}

/// Returns the completions, with -1 where a token isn't a target.
Rows asked_of(const std::vector<Example>& examples) {
  Rows rows = answers_of(examples);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Example& e = examples[i];
    if (e.target_positions.empty()) continue;
    rows[i].assign(rows[i].size(), -1);
    for (Index position : e.target_positions) {
      if (position < e.question)
        throw ValueError("target position {} is in the prompt, which only --arch gpt supports",
                         position);
      rows[i][position - e.question] = e.tokens[position];
    }
  }
  return rows;
}

void check_read(const TaskModel& model, const Rows& questions) {
  const Index most = model.longest_question();
  for (const auto& question : questions)
    if (question.empty() || length(question) > most)
      throw ValueError("{}: prompt of {}, expected 1 to {}", model.arch,
                       plural(question.size(), "token"), most);
}

void check_equal_lengths(const Rows& questions) {
  for (const auto& question : questions)
    if (question.empty() || question.size() != questions[0].size())
      throw ValueError(
          "decode: prompts of {} and {} tokens, expected the same length for all, at least 1",
          questions[0].size(), question.size());
}

// ---- gpt

class GPTDecoding : public Decoding {
 public:
  GPTDecoding(const GPT& model, Pass evaluation, Rows rows)
      : model_(model),
        evaluation_(std::move(evaluation)),
        rows_(std::move(rows)),
        given_(length(rows_[0])) {
    begin_at(0);
  }

  Tensor next(const std::vector<int>& chosen) override {
    append_tokens(rows_, chosen);
    const Index time = length(rows_[0]), context = model_.options.context;
    // The visible tokens depend only on `time`, not on where decoding began.
    const Index half = (context + 1) / 2, over = std::max<Index>(time - context, 0);
    const Index first = (over + half - 1) / half * half;
    if (first > first_ || !model_.caches()) {
      cache_ = {};
      begin_at(first);
    }
    Pass pass = evaluation_;
    pass.named = &named_;
    if (model_.caches()) pass.cache = &cache_;
    const Tensor logits = model_(from(rows_, read_), pass);  // (rows, time, vocabulary)
    read_ = time;
    return at(logits, logits.dim(1) - 1);
  }

 private:
  /// Sets the first token that the model sees, and the number of prompt tokens still visible.
  void begin_at(Index first) {
    first_ = read_ = first;
    const auto given = static_cast<double>(std::max<Index>(given_ - first, 0));
    named_["question"] = full({static_cast<Index>(rows_.size())}, given, DType::i32);
  }

  const GPT& model_;
  const Pass evaluation_;
  Rows rows_;
  const Index given_;  // number of tokens in each prompt
  NamedTensors named_;
  Cache cache_;
  Index first_ = 0,
        read_ = 0;  // first visible token; first token still to be read
};

struct GPTModel : TaskModel {
  explicit GPTModel(const ModelOptions& o) : TaskModel("gpt", o, std::make_unique<GPT>(o)) {}
  Batch batch(const std::vector<Example>& examples) const override { return make_batch(examples); }
  std::unique_ptr<Decoding> decode(const Rows& questions) const override {
    check_equal_lengths(questions);
    return std::make_unique<GPTDecoding>(static_cast<const GPT&>(*module), evaluation, questions);
  }
};

// ---- encoder

/// The decoding of an encoder, which predicts all positions at once.
class EncoderDecoding : public Decoding {
 public:
  explicit EncoderDecoding(Tensor logits, Index first = 0)
      : logits_(std::move(logits)), position_(first) {}

  Tensor next(const std::vector<int>&) override {
    return position_ < logits_.dim(1) ? at(logits_, position_++) : Tensor();
  }

 private:
  Tensor logits_;  // (rows, time, vocabulary)
  Index position_;
};

// ---- encoder-decoder

class EncoderDecoderDecoding : public Decoding {
 public:
  /// first: i32 (rows, source + 1), the prompts and the token before each completion.
  EncoderDecoderDecoding(const Module& model, Pass evaluation, Tensor first, Index longest_answer)
      : model_(model),
        evaluation_(std::move(evaluation)),
        first_(std::move(first)),
        left_(longest_answer) {}

  Tensor next(const std::vector<int>& chosen) override {
    if (left_-- <= 0) return {};
    Pass pass = evaluation_;
    pass.cache = &cache_;
    Rows last;
    for (int token : chosen) last.push_back({token});
    return at(model_(cache_.length == 0 ? first_ : from(last, 0), pass), 0);
  }

 private:
  const Module& model_;
  const Pass evaluation_;
  Tensor first_;
  Cache cache_;
  Index left_;
};

struct EncoderDecoderModel : TaskModel {
  explicit EncoderDecoderModel(const ModelOptions& o)
      : TaskModel("encoder-decoder", o, std::make_unique<EncoderDecoder>(o)) {}

  Batch batch(const std::vector<Example>& examples) const override {
    const Rows questions = questions_of(examples), answers = answers_of(examples);
    check_read(*this, questions);
    const Index time = longest(answers);
    if (time < 1 || time > options.context)
      throw ValueError("encoder-decoder: completion of {}, expected 1 to {}", plural(time, "token"),
                       options.context);
    Rows previous;  // the token before each target, for teacher forcing
    for (std::size_t i = 0; i < answers.size(); ++i) {
      previous.push_back({questions[i].back()});
      if (!answers[i].empty())
        previous[i].insert(previous[i].end(), answers[i].begin(), answers[i].end() - 1);
    }
    return {concat({stacked(questions, options.source, -1), stacked(previous, time, 0)}, 1),
            stacked(asked_of(examples), time, -1)};
  }

  std::unique_ptr<Decoding> decode(const Rows& questions) const override {
    check_equal_lengths(questions);
    check_read(*this, questions);
    Rows last;
    for (const auto& question : questions) last.push_back({question.back()});
    const Tensor first =
        concat({stacked(questions, options.source, -1), from(last, 0)}, 1);  // (rows, source + 1)
    return std::make_unique<EncoderDecoderDecoding>(*module, evaluation, first, options.context);
  }
};

// ---- all architectures

template <class M>
std::unique_ptr<TaskModel> make(const ModelOptions& options, const OwnValues&, const Task*) {
  return std::make_unique<M>(options);
}

std::unique_ptr<TaskModel> made(const TrainConfig& config, const Task& task,
                                const Registry& registry, bool drawn) {
  const MakeArchitecture& arch = registry.architectures().make(config.arch);
  ModelOptions options = model_options(config, registry);
  arch.set_lengths(options, task);
  options.vocabulary = task.vocabulary();
  options.seed = config.seed;
  options.dtype = named(dtype_names, config.dtype);
  if (!options.attention.fits_decoder &&
      arch.own_attention == MakeArchitecture::OwnAttention::causal)
    check_own_attention(config.attention, options.attention, options);
  options.drawn = drawn;
  return require_result(config.arch, arch.make(options, config.own, &task));
}

/// Returns the first validation example, with prompt and completion extended to the longest ones.
Example longest_example(const Task& task) {
  const Example given = held_out_example(task, 0);
  if (given.tokens.empty()) return given;  // examples are numbers
  const auto middle = given.tokens.begin() + given.question;
  std::vector<int> question(given.tokens.begin(), middle), answer(middle, given.tokens.end());
  const auto draw_out = [](std::vector<int>& tokens, Index length) {
    if (!tokens.empty()) tokens.resize(static_cast<std::size_t>(length), tokens.back());
  };
  const Index most = task.context() + 1, longest_answer = task.longest_answer();
  if (longest_answer < 0 || longest_answer > most)
    throw ValueError("task '{}': longest_answer() returns {}, expected 0 to {}, context() + 1",
                     task.name, longest_answer, most);
  draw_out(answer, longest_answer);
  // A GPT's context may be shorter than the longest prompt plus the longest completion.
  const Index rest = most - static_cast<Index>(answer.size());
  draw_out(question, std::clamp<Index>(task.longest_question(), 0, rest));
  Example longest{question, static_cast<Index>(question.size())};
  append(longest.tokens, answer);
  return longest;
}

}  // namespace

std::unique_ptr<Decoding> TaskModel::decode(const Rows&) const { return nullptr; }

Tensor next_logits(Decoding& decoding, const std::vector<int>& chosen, Index questions) {
  Tensor logits = decoding.next(chosen);
  if (logits && (logits.rank() != 2 || logits.dim(0) != questions))
    throw ShapeError("decode: `next` returned shape {} for {}, expected (prompts, vocabulary)",
                     logits.shape(), plural(questions, "prompt"));
  return logits;
}

std::shared_ptr<const Loss> custom_loss(const TaskModel& model, const Task& task) {
  std::optional<Loss> own = model.loss();
  if (!own) own = task.loss(model);
  if (own && !own->of) throw ValueError("loss '{}' has no function `of`", own->name);
  return own ? std::make_shared<const Loss>(*own) : nullptr;
}

EncoderModel::EncoderModel(const ModelOptions& o, int placeholder)
    : EncoderModel("encoder", o, std::make_unique<Encoder>(o)) {
  placeholder_ = placeholder;
}

Index EncoderModel::first_output(const std::vector<int>& question) const {
  if (placeholder_ < 0) return 0;
  return std::find(question.begin(), question.end(), placeholder_) - question.begin();
}

Batch EncoderModel::batch(const std::vector<Example>& examples) const {
  const Rows questions = questions_of(examples), answers = answers_of(examples);
  check_read(*this, questions);
  Rows asked = asked_of(examples);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Index first = first_output(questions[i]), given = length(answers[i]);
    const Index wanted = options.pooled ? 1 : length(questions[i]) - first;
    // A completion may leave placeholders unused.
    if (placeholder_ < 0 ? given != wanted : given > wanted)
      throw ValueError(
          "{}: completion of {} for a prompt of {}, expected {}{}; other completions need --arch "
          "gpt or encoder-decoder",
          arch, plural(given, "token"), questions[i].size(), placeholder_ < 0 ? "" : "at most ",
          wanted);
    asked[i].insert(asked[i].begin(), static_cast<std::size_t>(first), -1);
  }
  const Index time = longest(questions);
  Tensor targets = stacked(asked, options.pooled ? 1 : time, -1);  // (examples, time)
  if (options.pooled) targets = reshape(targets, Shape{targets.dim(0)});
  return {stacked(questions, time, -1), targets};
}

std::unique_ptr<Decoding> EncoderModel::decode(const Rows& questions) const {
  check_equal_lengths(questions);
  check_read(*this, questions);
  const Index first = first_output(questions[0]);
  for (const auto& question : questions)
    if (first_output(question) != first)
      throw ValueError("decode: prompts with {} and {}, expected the same number for all",
                       plural(length(questions[0]) - first, "placeholder"),
                       length(question) - first_output(question));
  Pass pass = evaluation;
  Tensor logits = (*module)(from(questions, 0), pass);
  if (options.pooled) logits = reshape(logits, Shape{logits.dim(0), 1, logits.dim(1)});
  return std::make_unique<EncoderDecoding>(logits, first);
}

std::vector<ArchitecturePart> architecture_parts() {
  std::vector<ArchitecturePart> all = {
      {"gpt",
       "reads a prompt and continues it",
       {make<GPTModel>,
        [](ModelOptions& options, const Task& task) { options.context = task.context(); }},
       {"tied-head"}},
      {"encoder",
       "predicts the whole completion at once",
       {[](const ModelOptions& options, const OwnValues&, const Task* task) {
          return std::make_unique<EncoderModel>(options, task ? task->placeholder() : -1);
        },
        [](ModelOptions& options, const Task& task) {
          options.context = task.longest_question();
          options.pooled =
              options.context > 1 && task.longest_answer() == 1 && task.placeholder() < 0;
        }}},
      {"encoder-decoder",
       "reads a source, and generates the target with attention to it",
       {make<EncoderDecoderModel>,
        [](ModelOptions& options, const Task& task) {
          options.source = task.longest_question();
          options.context = task.longest_answer();
        }},
       {"tied-head"}}};
  for (ArchitecturePart& part : all) part.make.blocks = true;
  all[0].make.own_attention = MakeArchitecture::OwnAttention::causal;
  all[1].make.own_attention = MakeArchitecture::OwnAttention::any;
  return all;
}

std::unique_ptr<TaskModel> make_model(const std::string& arch, const ModelOptions& options) {
  static const Registry standard;
  return standard.architectures().make(arch).make(options, {}, nullptr);
}

std::unique_ptr<TaskModel> make_model(const TrainConfig& config, const Task& task,
                                      const Registry& registry) {
  return made(config, task, registry, true);
}

std::unique_ptr<TaskModel> make_meta_model(const TrainConfig& config, const Task& task,
                                           const Registry& registry) {
  return made(config, task, registry, false);
}

Batch longest_batch(const TaskModel& model, const Task& task, Index examples) {
  const std::vector<Example> all(static_cast<std::size_t>(examples), longest_example(task));
  Batch batch = model.batch(all);
  check_batch(batch, examples);
  batch.lengths.clear();  // no example is padded
  return batch;
}

void Registry::number_model(
    const std::string& name, const std::string& summary,
    std::function<std::unique_ptr<Module>(const ModelOptions&, const Task*)> make) {
  struct NumberModel : TaskModel {
    NumberModel(const std::string& arch_name, const ModelOptions& o, std::unique_ptr<Module> made)
        : TaskModel(arch_name, o, std::move(made)) {}
    Batch batch(const std::vector<Example>& examples) const override {
      return number_batch(examples, options.dtype);
    }
  };
  if (!make) throw ValueError("registry: arch '{}' has no function make", name);
  MakeArchitecture arch;
  arch.make = [=](const ModelOptions& o, const OwnValues&, const Task* task) {
    return std::make_unique<NumberModel>(name, o, require_result(name, make(o, task)));
  };
  arch.set_lengths = [](ModelOptions& o, const Task&) { o.context = 1; };
  model({name, summary, arch});
}

}  // namespace tapehead
