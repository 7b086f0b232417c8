#include "../../core/plural.hpp"
#include "../files/files.hpp"
#include "../files/strings.hpp"
#include "file_task.hpp"
#include "pair_file.hpp"
#include "pair_source.hpp"
#include "pair_tokens.hpp"
#include "repetitions.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tapehead {
namespace {

constexpr Index longest_context = 65535;
constexpr Index longest_by_default = 1024;  // one very long example would slow down every step
constexpr Index most_attempts = 1000;       // to draw an example that isn't for validation
constexpr int most_memory_per_byte = 32;    // of a file: tokens, rows, and hashes of short lines

/// A row of a file: its tokens, from `begin` on, are a source and a target.
struct Row {
  std::uint64_t begin;
  std::uint32_t source, target;  // numbers of tokens
  std::uint32_t line;
  bool is_held_out, is_apart;  // whether it is for validation; whether it comes from --held-out
};

/// Returns whether the options have all that the task learns from its data.
bool is_trained(const TaskOptions& options) {
  const auto is_set = [&](const char* name) { return options.at(name) != "0"; };
  return !options.at("vocabulary").empty() && is_set("context") && is_set("source-length") &&
         is_set("target-length");
}

/// Returns the options; if a function draws training examples, with only the validation file.
TaskOptions without_training_file(TaskOptions options, bool has_source) {
  const std::string& function = options.at("function");
  if (function.empty()) return options;
  if (!options.at("data").empty())
    throw UsageError("--function {0} and --data can't be combined; remove one", function);
  if (!has_source && !is_trained(options))
    throw UsageError(
        "--function {0} needs a Python function: train with tapehead.train({0}) in Python",
        function);
  options["data"] = std::exchange(options["held-out"], "");
  return options;
}

/// Source/target pairs of a file, or training pairs from a function and validation pairs of a file.
/// A separator follows the source, and an end token the target, unless every target is a single
/// token.
class Pairs : public FileTask {
 public:
  Pairs(const TaskOptions& options, HeldOut held_out, std::shared_ptr<const PairSource> source)
      : FileTask(without_training_file(options, source != nullptr), is_trained(options)),
        function_(options.at("function")),
        draws_(std::move(source)),
        tokens_(options),
        context_(whole_option(options, "context", 0, longest_context)),
        source_(whole_option(options, "source-length", 0, longest_context)),
        target_(whole_option(options, "target-length", 0, longest_context)),
        predicts_all_(options.at("loss-on") == "all"),
        all_held_out_(held_out == HeldOut::all || !function_.empty()) {
    require_known("--loss-on", options.at("loss-on"), {"targets", "all"});
    const bool has_vocabulary = !options.at("vocabulary").empty();
    if (has_vocabulary) tokens_.restore(options.at("vocabulary"));
    tokens_.set_end(target_ > 1);
    read(most_memory_per_byte, [&] { take(has_vocabulary); });
  }

  Index vocabulary() const override { return tokens_.size(); }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    require_data();
    Example example =
        function_.empty() ? chosen_example(seed, step, number) : drawn_example(seed, step, number);
    for (std::size_t i = 1; predicts_all_ && i < example.tokens.size(); ++i)
      example.target_positions.push_back(static_cast<Index>(i));
    return example;
  }
  Index held_out_size() const override {
    require_data();
    return static_cast<Index>(held_out_.size());
  }
  Example held_out_example(Index number) const override {
    require_data();
    return example_of(held_out_.at(static_cast<std::size_t>(number)));
  }
  bool has_answers() const override { return true; }
  Index longest_question() const override { return source_ + 1; }
  Index longest_answer() const override { return target_ + (tokens_.end() < 0 ? 0 : 1); }
  int end_token() const override { return tokens_.end(); }
  int separator() const override { return tokens_.separator(); }

  std::string show(const std::vector<int>& tokens) const override { return tokens_.show(tokens); }
  std::vector<int> parse(const std::string& text) const override {
    return tokens_.parse(text, name);
  }
  std::vector<int> parse_prompt(const std::string& text) const override {
    std::vector<int> tokens = parse(text);
    if (!contains(tokens, tokens_.separator())) tokens.push_back(tokens_.separator());
    return tokens;
  }
  std::string prompt_error(const std::vector<int>& question) const override {
    const int separator = tokens_.separator();
    const auto at = std::find(question.begin(), question.end(), separator);
    if (at != question.begin() && at != question.end() && at + 1 == question.end()) return {};
    return fmt::format("{} expects a source{}", name,
                       at == question.begin() ? ", got an empty one"
                       : at == question.end()
                           ? " with a separator after it"
                           : fmt::format(" without a target; got '{}'", show(question)));
  }
  std::string data_note() const override { return note_; }
  std::size_t bytes() const override {
    return sizeof(int) * ids_.capacity() + sizeof(Row) * rows_.capacity() +
           sizeof(std::uint32_t) * (training_.capacity() + held_out_.capacity());
  }
  TaskOptions recorded_options() const override {
    return {{"vocabulary", tokens_.recorded()},
            {"context", std::to_string(context_)},
            {"source-length", std::to_string(source_)},
            {"target-length", std::to_string(target_)}};
  }

 private:
  Example example_of(std::uint32_t number) const {
    const Row& row = rows_[number];
    const auto begin = ids_.begin() + static_cast<std::ptrdiff_t>(row.begin);
    return joined({begin, begin + row.source + row.target}, row.source);
  }

  /// Adds the separator and the end to the tokens of a source and its target.
  Example joined(std::vector<int> tokens, Index source) const {
    tokens.insert(tokens.begin() + source, tokens_.separator());
    if (tokens_.end() >= 0) tokens.push_back(tokens_.end());
    return {std::move(tokens), source + 1};
  }

  Example chosen_example(std::uint64_t seed, Index step, Index number) const {
    Random random = example_random(seed, step, number);
    return example_of(training_[random.below(static_cast<Index>(training_.size()))]);
  }

  Example drawn_example(std::uint64_t seed, Index step, Index number) const {
    if (!draws_)
      throw FileError(
          "the training examples come from the Python function {0}; resume with "
          "tapehead.train({0}, "
          "resume=\"{1}\")",
          function_,
          ends_with(path_, "/validation.jsonl") ? path_.substr(0, path_.rfind('/')) : "RUN");
    for (Index attempt = 0; attempt < most_attempts; ++attempt) {
      const SourceTarget pair = draws_->draw(seed, step, number, attempt);
      if (validation_sources_.count(pair.source) > 0) continue;
      return tokenized(pair, fmt::format("{}: example {} of step {}", function_, number, step));
    }
    throw UsageError(
        "{}: example {} of step {}: the sources of {} draws are all in the validation set; use "
        "other --validation examples",
        function_, number, step, most_attempts);
  }

  /// Converts an example, and checks that it suits the model.
  Example tokenized(const SourceTarget& pair, const std::string& place) const {
    std::vector<int> tokens;
    const auto append = [&](std::string_view text, bool is_target) {
      tokens_.split(text, is_target, [&](std::string_view one) {
        tokens.push_back(tokens_.find(one));
        if (tokens.back() < 0)
          throw UsageError("{}: {}, or name all tokens with --vocabulary", place,
                           tokens_.describe_unknown(one));
      });
    };
    append(pair.source, false);
    const auto source = static_cast<Index>(tokens.size());
    append(pair.target, true);
    const Index target = static_cast<Index>(tokens.size()) - source;
    if (source == 0 || target == 0)
      throw UsageError("{}: the {} is blank", place, source == 0 ? "source" : "target");
    const auto check = [&](const char* what, const char* option, Index given, Index limit) {
      if (given > limit)
        throw UsageError("{}: {} of {}, expected at most {}; pass a larger --{}", place, what,
                         plural(given, "token"), limit, option);
    };
    check("a source", "source-length", source, source_);
    check("a target", "target-length", target, target_);
    Example example = joined(std::move(tokens), source);
    check("an example", "context", static_cast<Index>(example.tokens.size()) - 1, context_);
    return example;
  }

  void take(bool has_vocabulary) {
    TokenTable seen;  // all texts of tokens; ids_ are numbers in this table at first
    Repetitions repetitions;
    append(path_, false, seen, repetitions);
    if (!held_out_path_.empty()) append(held_out_path_, true, seen, repetitions);
    for (std::size_t i = 0; draws_ && i < draws_->sample.size(); ++i)
      add_row({draws_->sample[i].source, draws_->sample[i].target, static_cast<Index>(i)}, false,
              false, seen);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      (rows_[i].is_held_out ? held_out_ : training_).push_back(static_cast<std::uint32_t>(i));
    check_sides();
    const bool given[] = {context_ > 0, source_ > 0, target_ > 0};
    if (!has_vocabulary) learn(seen);
    Index longest = target_;
    for (const Row& row : rows_) longest = std::max<Index>(longest, row.target);
    tokens_.set_end(longest > 1);
    number_again(seen);
    measure();
    if (draws_) add_slack(given[0], given[1], given[2]);
    if (all_held_out_) return;
    note_ = fmt::format("{} for training, {} for validation{}", plural(training_.size(), "pair"),
                        held_out_.size(), repetitions.text());
  }

  void append(const std::string& path, bool is_apart, TokenTable& seen, Repetitions& repetitions) {
    std::string text = read_file(path);
    if (tokens_.kind() == PairTokens::Kind::bytes)
      refuse_other_encoding(text, path);
    else
      text = require_utf8(std::move(text), path);
    const std::size_t before = rows_.size();
    each_pair(text, path, [&](const Pair& pair) {
      const bool by_hash = held_out_path_.empty() && !all_held_out_;
      add_row(pair, by_hash ? is_validation_source(pair.source) : all_held_out_ || is_apart,
              is_apart, seen);
      repetitions.add(pair, is_apart);
      if (draws_) validation_sources_.emplace(pair.source);
    });
    if (rows_.size() == before) throw FileError("{}: no source/target pairs", path);
  }

  void add_row(const Pair& pair, bool is_held_out, bool is_apart, TokenTable& seen) {
    Row row{ids_.size(), 0, 0, static_cast<std::uint32_t>(pair.line), is_held_out, is_apart};
    const auto add = [&](std::string_view one) { ids_.push_back(seen.add(one)); };
    tokens_.split(pair.source, false, add);
    row.source = static_cast<std::uint32_t>(ids_.size() - row.begin);
    tokens_.split(pair.target, true, add);
    row.target = static_cast<std::uint32_t>(ids_.size() - row.begin) - row.source;
    rows_.push_back(row);
    if (row.source == 0 || row.target == 0)
      throw FileError("{}: the {} is blank", place_of(row), row.source == 0 ? "source" : "target");
  }

  void check_sides() const {
    if (all_held_out_ || (!training_.empty() && !held_out_.empty())) return;
    throw FileError(
        "{}: {} of {} in the validation set (one in sixteen, by a hash of the source); add pairs, "
        "or pass --held-out FILE",
        path_, held_out_.size(), plural(rows_.size(), "pair"));
  }

  /// Makes the vocabulary of the texts in training rows.
  void learn(const TokenTable& seen) {
    std::vector<bool> occurs(seen.texts().size());
    for (const std::uint32_t number : training_) {
      const Row& row = rows_[number];
      for (std::uint64_t i = row.begin; i < row.begin + row.source + row.target; ++i)
        occurs[static_cast<std::size_t>(ids_[i])] = true;
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < occurs.size(); ++i)
      if (occurs[i]) texts.push_back(seen.texts()[i]);
    tokens_.learn(std::move(texts), path_);
  }

  /// Returns where a row comes from: `pairs.tsv: line 3`.
  std::string place_of(const Row& row) const {
    if (!function_.empty() && !row.is_held_out)
      return fmt::format("{}: example {}", function_, row.line);
    return fmt::format("{}: line {}", row.is_apart ? held_out_path_ : path_, row.line);
  }

  /// Replaces the numbers of texts by tokens of the vocabulary.
  void number_again(const TokenTable& seen) {
    std::vector<int> tokens;
    for (const std::string& text : seen.texts()) tokens.push_back(tokens_.find(text));
    for (const Row& row : rows_)
      for (std::uint64_t i = row.begin; i < row.begin + row.source + row.target; ++i) {
        const auto number = static_cast<std::size_t>(ids_[i]);
        if (tokens[number] < 0)
          throw FileError("{}: {}", place_of(row), tokens_.describe_unknown(seen.texts()[number]));
        ids_[i] = tokens[number];
      }
  }

  /// Checks the lengths of all rows, and sets those that aren't given.
  void measure() {
    const auto context_of = [&](const Row& row) {  // the last token is only a target
      return static_cast<Index>(row.source) + row.target + (tokens_.end() < 0 ? 0 : 1);
    };
    const auto longest = [&](const auto& length) {
      return *std::max_element(rows_.begin(), rows_.end(),
                               [&](const Row& a, const Row& b) { return length(a) < length(b); });
    };
    const bool has_lengths = source_ > 0 || target_ > 0;
    const auto bound = [&](const char* half, std::uint32_t Row::*length, Index& allowed) {
      const Row row = longest([=](const Row& one) { return one.*length; });
      const auto found = static_cast<Index>(row.*length);
      if (allowed > 0 && found > allowed)
        throw FileError("{} has a {} of {}, expected at most {}; train with --{}-length {}",
                        place_of(row), half, plural(found, "token"), allowed, half, found);
      if (allowed == 0) allowed = found;
    };
    bound("source", &Row::source, source_);
    bound("target", &Row::target, target_);
    const Row most = longest(context_of);
    const Index needed = context_of(most), limit = context_ > 0 ? context_ : longest_by_default;
    if (needed > limit)
      throw FileError(
          "{} needs a context of {} tokens, expected at most {}{}", place_of(most), needed, limit,
          needed > longest_context ? "" : fmt::format("; train with --context {}", needed));
    if (context_ == 0)
      context_ = has_lengths ? std::min(source_ + longest_answer(), longest_context) : needed;
    if (std::max(longest_question(), longest_answer()) > context_)
      throw UsageError("--source-length {} and --target-length {} need --context {}, not {}",
                       source_, target_, source_ + longest_answer(), context_);
  }

  /// Doubles the lengths that aren't given, since later examples may be longer than the sample.
  void add_slack(bool has_context, bool has_source, bool has_target) {
    if (!has_context) context_ = std::min(2 * context_, longest_context);
    if (!has_source) source_ = std::max(source_, std::min(2 * source_, context_ - 1));
    if (!has_target && target_ > 1)
      target_ = std::max(target_, std::min(2 * target_, context_ - 1));
  }

  std::string function_;
  std::shared_ptr<const PairSource> draws_;
  std::unordered_set<std::string> validation_sources_;  // if a function draws examples
  PairTokens tokens_;
  Index context_, source_, target_;  // 0 until they are known
  bool predicts_all_, all_held_out_;
  std::vector<int> ids_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> training_, held_out_;  // indices of rows
  std::string note_;
};

}  // namespace

bool is_validation_source(std::string_view source) {
  std::vector<int> bytes;
  for (const char byte : source) bytes.push_back(static_cast<unsigned char>(byte));
  return is_held_out(bytes.data(), static_cast<Index>(bytes.size()));
}

TaskEntry pairs_task() {
  Option held_out{"held-out", "validation (held-out) file (default: one source in sixteen)", ""};
  held_out.alias = "validation";
  return {
      "pairs",
      "predict the target of a source, from a file of source/target pairs",
      "a separator token tells the model where the source ends and the target begins",
      "depends on the file",
      muon_defaults("--layers 2 --heads 4 --width 64 --lr 0.01 --adam-lr 0.005 --position rotary "
                    "--batch 64 --steps 1000 --eval-every 250"),
      {},
      {{"data", "source/target pairs: .tsv, .txt (tab-separated), .csv or .jsonl", ""},
       held_out,
       {"tokens", "tokenizer", "characters", "", {"characters", "words", "bytes", "ids"}},
       {"function", "Python function that draws the training examples, as recorded in a run", "",
        "NAME"},
       {"labels", "each target as one token, for classification", "false"},
       {"unknown", "an unknown token for tokens that don't occur in training", "false"},
       {"loss-on",
        "tokens in the training loss (all: gpt only)",
        "targets",
        "",
        {"targets", "all"}},
       {"context", "context length in tokens (0 = by the longest pair)", "0"},
       {"source-length", "longest source in tokens (0 = from the data)", "0"},
       {"target-length", "longest target in tokens (0 = from the data)", "0"},
       {"vocabulary", "tokens, as recorded in a run's config.toml (default: from the data)", ""}},
      "",
      {"gpt", "encoder-decoder", "encoder"},
      [](const TaskOptions& options) {
        return std::make_unique<Pairs>(options, HeldOut::split, nullptr);
      },
      [](TaskOptions options) {
        options["held-out"].clear();
        options["function"].clear();
        return std::make_unique<Pairs>(options, HeldOut::all, nullptr);
      },
      [](const TrainConfig& config) {
        const bool is_apart = config.arch == "encoder" || config.arch == "encoder-decoder";
        if (is_apart && config.task_options.at("loss-on") == "all")
          throw UsageError(
              "--loss-on all has no effect with --arch {}; remove it, or use --arch gpt",
              config.arch);
      }};
}

std::unique_ptr<Task> make_drawn_pairs(const TaskOptions& options, PairSource source) {
  const TaskEntry entry = pairs_task();
  auto task = std::make_unique<Pairs>(completed(options, entry.options), HeldOut::split,
                                      std::make_shared<const PairSource>(std::move(source)));
  task->name = entry.name;
  check_sizes(*task);
  return task;
}

}  // namespace tapehead
