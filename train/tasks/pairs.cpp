#include "../../core/plural.hpp"
#include "../files/files.hpp"
#include "file_task.hpp"
#include "pair_file.hpp"
#include "pair_tokens.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace tapehead {
namespace {

constexpr Index longest_context = 65535;
constexpr Index longest_by_default = 1024;  // one very long example would slow down every step
constexpr int most_memory_per_byte = 32;    // of a file: tokens, rows, and hashes of short lines

/// A row of a file: its tokens, from `begin` on, are a source and a target.
struct Row {
  std::uint64_t begin;
  std::uint32_t source, target;  // numbers of tokens
  std::uint32_t line;
  bool is_held_out, is_apart;  // whether it is for validation; whether it comes from --held-out
};

/// Counts rows that occur twice, and sources that have several targets.
class Repetitions {
 public:
  void add(const Pair& pair, bool is_apart) {
    const std::hash<std::string_view> hash;
    all_.push_back({hash(pair.source), hash(pair.target), is_apart});
  }

  /// Returns the counts as text: ` · 2 duplicates · 1 source with several targets`.
  std::string text() {
    std::sort(all_.begin(), all_.end());
    Index duplicates = 0, contradictions = 0, shared = 0;
    for (std::size_t first = 0, end = 0; first < all_.size(); first = end) {
      bool differ = false;
      std::array<Index, 2> rows = {};  // of --data and of --held-out
      for (; end < all_.size() && all_[end].source == all_[first].source; ++end) {
        ++rows[all_[end].is_apart ? 1 : 0];
        if (end == first) continue;
        const bool equal = all_[end].target == all_[end - 1].target;
        duplicates += equal ? 1 : 0;
        differ |= !equal;
      }
      contradictions += differ ? 1 : 0;
      shared += rows[0] > 0 ? rows[1] : 0;
    }
    std::string text;
    if (duplicates > 0) text += fmt::format(" · {}", plural(duplicates, "duplicate"));
    if (contradictions > 0)
      text += fmt::format(" · {} with several targets", plural(contradictions, "source"));
    if (shared > 0)
      text += fmt::format(" · {} with a source of the training data",
                          plural(shared, "validation pair"));
    return text;
  }

 private:
  struct Hashes {
    std::size_t source, target;
    bool is_apart;
    bool operator<(const Hashes& other) const {
      return std::tie(source, target) < std::tie(other.source, other.target);
    }
  };
  std::vector<Hashes> all_;
};

/// Source/target pairs of a file. A separator follows the source, and an end token the target,
/// unless every target is a single token.
class Pairs : public FileTask {
 public:
  Pairs(const TaskOptions& options, HeldOut held_out)
      : FileTask(options, !options.at("vocabulary").empty()),
        tokens_(options),
        context_(whole_option(options, "context", 0, longest_context)),
        source_(whole_option(options, "source-length", 0, longest_context)),
        target_(whole_option(options, "target-length", 0, longest_context)),
        predicts_all_(options.at("loss-on") == "all"),
        all_held_out_(held_out == HeldOut::all) {
    require_known("--loss-on", options.at("loss-on"), {"targets", "all"});
    const bool is_trained = !options.at("vocabulary").empty();
    if (is_trained) {
      tokens_.restore(options.at("vocabulary"));
      if (context_ == 0 || source_ == 0 || target_ == 0)
        throw UsageError("--vocabulary needs --context, --source-length and --target-length");
      tokens_.set_end(target_ > 1);
    }
    read(most_memory_per_byte, [&] { take(is_trained); });
  }

  Index vocabulary() const override { return tokens_.size(); }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    require_data();
    Random random = example_random(seed, step, number);
    Example example = example_of(training_[random.below(static_cast<Index>(training_.size()))]);
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
    if (std::count(tokens.begin(), tokens.end(), tokens_.separator()) == 0)
      tokens.push_back(tokens_.separator());
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
    Example example{{begin, begin + row.source}, row.source + 1};
    example.tokens.push_back(tokens_.separator());
    example.tokens.insert(example.tokens.end(), begin + row.source,
                          begin + row.source + row.target);
    if (tokens_.end() >= 0) example.tokens.push_back(tokens_.end());
    return example;
  }

  void take(bool is_trained) {
    TokenTable seen;  // all texts of tokens; ids_ are numbers in this table at first
    Repetitions repetitions;
    append(path_, false, seen, repetitions);
    if (!held_out_path_.empty()) append(held_out_path_, true, seen, repetitions);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      (rows_[i].is_held_out ? held_out_ : training_).push_back(static_cast<std::uint32_t>(i));
    check_sides();
    if (!is_trained) learn(seen);
    number_again(seen);
    measure();
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
    std::vector<int> split;
    each_pair(text, path, [&](const Pair& pair) {
      Row row{ids_.size(), 0, 0, static_cast<std::uint32_t>(pair.line), all_held_out_ || is_apart,
              is_apart};
      const auto add = [&](std::string_view one) { ids_.push_back(seen.add(one)); };
      tokens_.split(pair.source, false, add);
      row.source = static_cast<std::uint32_t>(ids_.size() - row.begin);
      tokens_.split(pair.target, true, add);
      row.target = static_cast<std::uint32_t>(ids_.size() - row.begin) - row.source;
      if (row.source == 0 || row.target == 0)
        throw FileError("{}: line {}: the {} is blank", path, pair.line,
                        row.source == 0 ? "source" : "target");
      if (held_out_path_.empty() && !all_held_out_) {
        split.clear();
        for (const char byte : pair.source) split.push_back(static_cast<unsigned char>(byte));
        row.is_held_out = is_held_out(split.data(), static_cast<Index>(split.size()));
      }
      rows_.push_back(row);
      repetitions.add(pair, is_apart);
    });
    if (rows_.size() == before) throw FileError("{}: no source/target pairs", path);
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
    Index longest = target_;
    for (const Row& row : rows_) longest = std::max<Index>(longest, row.target);
    tokens_.set_end(longest > 1);
  }

  const std::string& path_of(const Row& row) const { return row.is_apart ? held_out_path_ : path_; }

  /// Replaces the numbers of texts by tokens of the vocabulary.
  void number_again(const TokenTable& seen) {
    std::vector<int> tokens;
    for (const std::string& text : seen.texts()) tokens.push_back(tokens_.find(text));
    for (const Row& row : rows_)
      for (std::uint64_t i = row.begin; i < row.begin + row.source + row.target; ++i) {
        const auto number = static_cast<std::size_t>(ids_[i]);
        if (tokens[number] < 0)
          throw FileError("{}: line {}: {}", path_of(row), row.line,
                          tokens_.describe_unknown(seen.texts()[number]));
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
        throw FileError(
            "{}: line {} has a {} of {}, expected at most {}; train with --{}-length {}",
            path_of(row), row.line, half, plural(found, "token"), allowed, half, found);
      if (allowed == 0) allowed = found;
    };
    bound("source", &Row::source, source_);
    bound("target", &Row::target, target_);
    const Row most = longest(context_of);
    const Index needed = context_of(most), limit = context_ > 0 ? context_ : longest_by_default;
    if (needed > limit)
      throw FileError(
          "{}: line {} needs a context of {} tokens, expected at most {}{}", path_of(most),
          most.line, needed, limit,
          needed > longest_context ? "" : fmt::format("; train with --context {}", needed));
    if (context_ == 0)
      context_ = has_lengths ? std::min(source_ + longest_answer(), longest_context) : needed;
    if (std::max(longest_question(), longest_answer()) > context_)
      throw UsageError("--source-length {} and --target-length {} need --context {}, not {}",
                       source_, target_, source_ + longest_answer(), context_);
  }

  PairTokens tokens_;
  Index context_, source_, target_;  // 0 until they are known
  bool predicts_all_, all_held_out_;
  std::vector<int> ids_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> training_, held_out_;  // indices of rows
  std::string note_;
};

}  // namespace

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
       {"tokens", "tokenizer: characters, words, bytes or ids", "characters"},
       {"labels", "each target as one token, for classification", "false"},
       {"unknown", "an unknown token for tokens that don't occur in training", "false"},
       {"loss-on", "tokens in the training loss: targets, or all (gpt only)", "targets"},
       {"context", "context length in tokens (0 = by the longest pair)", "0"},
       {"source-length", "longest source in tokens (0 = from the data)", "0"},
       {"target-length", "longest target in tokens (0 = from the data)", "0"},
       {"vocabulary", "tokens, as recorded in a run's config.toml (default: from the data)", ""}},
      "",
      {"gpt", "encoder-decoder", "encoder"},
      [](const TaskOptions& options) { return std::make_unique<Pairs>(options, HeldOut::split); },
      [](TaskOptions options) {
        options["held-out"].clear();
        return std::make_unique<Pairs>(options, HeldOut::all);
      },
      [](const TrainConfig& config) {
        const bool is_apart = config.arch == "encoder" || config.arch == "encoder-decoder";
        if (is_apart && config.task_options.at("loss-on") == "all")
          throw UsageError(
              "--loss-on all has no effect with --arch {}; remove it, or use --arch gpt",
              config.arch);
      }};
}

}  // namespace tapehead
