#include "../config/names.hpp"
#include "../runs/files.hpp"
#include "../safetensors/safetensors.hpp"
#include "../tasks/characters.hpp"
#include "../tasks/tasks.hpp"
#include "../utf8.hpp"
#include "learn_merges.hpp"
#include "windows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace tapehead {
namespace {

/// The characters of a file. Nine tenths of them are for training.
class Characters : public Windows<CharacterTask> {
 public:
  explicit Characters(const TaskOptions& options)
      : Windows(options, "text", options, !options.at("characters").empty()),
        vocabulary_option_(options.at("vocabulary")) {
    read(sizeof(Token), [this] { take(); });
  }

  std::string bytes_of(int token) const override { return show({token}); }
  TaskOptions found() const override {
    TaskOptions found = CharacterTask::found();
    found["tokens"] = "characters";
    found["vocabulary"] = vocabulary_option_;
    return found;
  }

 private:
  /// Reads the file once for its alphabet, unless that is given, and once for its tokens.
  void take() {
    if (!knows_alphabet()) learn(occurring());
    tokens_.reserve(static_cast<std::size_t>(InputFile(path_).size()));
    each_piece([this](const std::u32string& points) {
      for (char32_t point : points)
        tokens_.push_back(static_cast<Token>(token_at(point, "at character", size() + 1)));
    });
    // A training window needs one character more than the context, and validation at least two.
    const Index needed = std::max<Index>(11, ((context_ + 1) * 10 + 8) / 9);
    if (size() < needed)
      throw FileError("{}: {} characters, and --context {} needs at least {}", path_, size(),
                      context_, needed);
    training_ = size() * 9 / 10;
  }

  /// Each character of the file once.
  std::u32string occurring() const {
    std::vector<bool> seen;
    std::u32string points;
    each_piece([&](const std::u32string& piece) {
      for (char32_t point : piece) {
        if (point >= seen.size()) seen.resize(point + 1);
        if (seen[point]) continue;
        seen[point] = true;
        points += point;
      }
    });
    return points;
  }

  std::string vocabulary_option_;
};

/// A file in tokens of bytes: single ones, or by merges that are given or learned from the part for
/// training. That part ends where it does for characters, so that losses a byte compare. Where the
/// file has ids already, they are ids of these tokens.
class Bytes : public Windows<FileTask> {
 public:
  explicit Bytes(const TaskOptions& options)
      : Windows(options, options, !options.at("pairs").empty()), options_(options) {
    const std::string& pairs = options.at("pairs");
    if (kind() == "bytes")
      known_ = true;
    else if (!pairs.empty())
      know(BytePairs::from_text(lines_of(pairs), "--pairs", kind() == "gpt2"), "--pairs");
    else if (kind() == "gpt2")
      know(given(options.at("merges")), options.at("merges"));
    if (has_ids(options))
      read(0, [this] { take_ids(); });
    else
      read(most_memory, [this] { take(); });
  }

  /// Whether the file has ids: any but a .npy can be read as bytes.
  static bool has_ids(const TaskOptions& options) {
    const std::string& path = options.at("data");
    return names_ids(path) && (options.at("tokens") != "bytes" || path.back() == 'y');
  }

  Index vocabulary() const override { return pairs_.size(); }
  std::string show(const std::vector<int>& tokens) const override {
    return replace_invalid(pairs_.decode(tokens));
  }
  std::vector<int> parse(const std::string& text) const override { return pairs_.encode(text); }
  std::string bytes_of(int token) const override { return pairs_.bytes(token); }
  TaskOptions found() const override {
    return {{"pairs", kind() == "bytes" ? "none" : listed(pairs_)},
            {"vocabulary", options_.at("vocabulary")}};
  }

 private:
  // Bytes of the text, of the same without what isn't UTF-8, and of tokens, for each of its bytes.
  static constexpr int most_memory = 8;

  const std::string& kind() const { return options_.at("tokens"); }

  static BytePairs given(const std::string& path) {
    if (path.empty())
      throw UsageError("--merges is needed: the list of GPT-2's merges, merges.txt");
    return BytePairs::from_text(read_file(path), path);
  }

  void know(BytePairs pairs, const std::string& where) {
    if (pairs.merges().empty()) throw FileError("{}: no merges", where);
    if (pairs.size() > most_tokens)
      throw FileError("{}: {} tokens, and a model knows {} at most", where, pairs.size(),
                      most_tokens);
    pairs_ = std::move(pairs);
    known_ = true;
  }

  void take() {
    std::string text = read_file(path_);
    if (kind() != "bytes") text = utf8(std::move(text));
    // Some editors write a byte order mark before the first character.
    if (text.rfind("\xef\xbb\xbf", 0) == 0) text.erase(0, 3);
    const std::string_view all = text, training = all.substr(0, training_bytes(text));
    if (!known_) learn(training);
    for (int token : pairs_.encode(training)) tokens_.push_back(static_cast<Token>(token));
    training_ = size();
    for (int token : pairs_.encode(all.substr(training.size())))
      tokens_.push_back(static_cast<Token>(token));
    check_sizes();
  }

  void take_ids() {
    if (!known_) throw FileError("{}: ids, and --tokens bpe learns its merges from a text", path_);
    open(options_);
    check_sizes();
    // Of a trained model's files, which may be large, only what is used is checked.
    if (options_.at("pairs").empty()) ids_->largest(vocabulary());
  }

  std::string utf8(std::string text) const {
    try {
      return require_utf8(std::move(text), path_);
    } catch (FileError& error) {
      error.append("; --tokens bytes takes any file");
      throw;
    }
  }

  /// The bytes of the first nine tenths of the characters.
  static std::size_t training_bytes(const std::string& text) {
    const auto begins = [](char c) { return (c & 0xc0) != 0x80; };
    auto left = std::count_if(text.begin(), text.end(), begins) * 9 / 10;
    std::size_t bytes = 0;
    for (; bytes < text.size() && (left > 0 || !begins(text[bytes])); ++bytes)
      left -= begins(text[bytes]);
    return bytes;
  }

  void learn(std::string_view training) {
    const bool usual = options_.at("vocabulary").empty();
    const Index wanted = usual ? 512 : whole_option(options_, "vocabulary", 257, most_tokens);
    BytePairs learned(learn_merges(training, static_cast<int>(wanted - 256)), false);
    if (learned.size() < wanted)
      throw FileError(
          "{}: there is nothing more to merge after {} tokens; --vocabulary {} takes "
          "them all",
          path_, learned.size(), learned.size());
    know(std::move(learned), path_);
  }

  // The merges as an option has them, in one line.
  static std::string listed(const BytePairs& pairs) {
    std::string list;
    for (const auto& [left, right] : pairs.merges())
      list += (list.empty() ? "" : " ") + pairs.printable(left) + ' ' + pairs.printable(right);
    return list;
  }
  static std::string lines_of(std::string list) {
    bool ends = false;
    for (char& c : list)
      if (c == ' ' && std::exchange(ends, !ends)) c = '\n';
    return list;
  }

  const TaskOptions options_;
  BytePairs pairs_;
  bool known_ = false;  // the pairs; else they are learned
};

/// Ids of unknown tokens, which are shown as they are: 17 4 256.
class Ids : public Windows<FileTask> {
 public:
  explicit Ids(const TaskOptions& options)
      : Windows(options, options, !options.at("pairs").empty()) {
    const bool trained = !options.at("pairs").empty();
    if (trained || !options.at("vocabulary").empty())
      vocabulary_ = whole_option(options, "vocabulary", 1, most_ids);
    read(0, [&] {
      open(options);
      check_sizes();
      // Of a trained model's files, which may be large, only what is used is checked.
      if (trained) return;
      const Index largest = ids_->largest(vocabulary_ > 0 ? vocabulary_ : most_ids);
      if (vocabulary_ == 0) vocabulary_ = largest + 1;
    });
  }

  Index vocabulary() const override { return vocabulary_; }
  std::string show(const std::vector<int>& tokens) const override {
    return fmt::format("{}", fmt::join(tokens, " "));
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> ids;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      int id = -1;
      const char* const end = word.data() + word.size();
      const auto [stop, fault] = std::from_chars(word.data(), end, id);
      if (fault != std::errc() || stop != end || id < 0 || id >= vocabulary_)
        throw ValueError("text: {} is no token; ids are from 0 to {}", quote(word),
                         vocabulary_ - 1);
      ids.push_back(id);
    }
    return ids;
  }
  TaskOptions found() const override {
    return {{"tokens", "ids"}, {"pairs", "none"}, {"vocabulary", std::to_string(vocabulary_)}};
  }

 private:
  static constexpr Index most_ids = 1 << 20;

  Index vocabulary_ = 0;
};

std::unique_ptr<Task> make(const TaskOptions& options) {
  std::string kind = options.at("tokens");
  require_known("--tokens", kind, {"characters", "bytes", "bpe", "gpt2", "ids"});
  for (const auto& [option, reader] : {std::pair("characters", "characters"), {"merges", "gpt2"}})
    if (kind != reader && !options.at(option).empty())
      throw UsageError("--{} is for --tokens {}, not {}", option, reader, kind);
  const bool known = kind != "characters" || !options.at("characters").empty();
  if (!known && Bytes::has_ids(options)) kind = "ids";
  if (!options.at("held-out").empty() && kind != "ids" && !Bytes::has_ids(options))
    throw UsageError("--held-out is for files of ids, .npy or .bin, and {} is a text",
                     options.at("data"));
  if (kind == "ids") return std::make_unique<Ids>(options);
  if (kind == "characters") return std::make_unique<Characters>(options);
  return std::make_unique<Bytes>(options);
}

}  // namespace

TaskEntry text_task() {
  const std::string modern =
      "--position rotary --norm rms --qk-norm true --convolution 3 --mlp swiglu --zero-out true "
      "--attention-temperature head --optimizer muon --lr 0.02 --min-lr 0 --adam-lr 0.005 "
      "--momentum 0.9 --warmup 10 --schedule wsd ";
  return {
      "text",
      "continue a text, token by token",
      "what a language model is: it predicts the next token from those before",
      "1.9 nats per character on tinyshakespeare",
      recipe("--layers 4 --heads 4 --width 128 --batch 12 --steps 2000 --eval-every 1000 "
             "--warmup 100"),
      {{"fast", "a small modern model: 1.9 nats in 10 seconds, below 1.6 in a minute",
        parse_settings(modern + "--width 96 --heads 3 --mlp-width 256 --decay 0.7 --weight-decay 0 "
                                "--average 0.98 --steps 2400 --eval-every 400")},
       {"best", "a model of 2.7 million parameters: below 1.43 nats in ten minutes",
        parse_settings(modern + "--layers 6 --heads 6 --width 192 --mlp-width 512 --context 256 "
                                "--batch 16 --dtype bf16 --dropout 0.1 --decay 0.85 "
                                "--weight-decay 0.1 --average 0.99 --steps 1600 "
                                "--eval-every 300")}},
      {{"data", "the text file to learn from, UTF-8, or a .npy or .bin of token ids", ""},
       {"held-out", "a .npy or .bin to evaluate on; by default, the last tenth of the data", ""},
       {"context", "tokens that the model reads", "64"},
       {"tokens",
        "characters, bytes, bpe (bytes that occur together, learned from the text), gpt2, or "
        "ids, which stand for nothing else",
        "characters"},
       {"vocabulary",
        "number of tokens; by default, bpe: 512, of which 256 are the bytes; ids: as the files "
        "have",
        ""},
       {"merges", "gpt2: the file merges.txt, a list of pairs that are merged", ""},
       {"characters", "the alphabet; by default, all that occur in the text", ""},
       {"pairs", "the merges themselves, as a run's config.toml has them", ""}},
      "context",
      {"gpt"},
      make};
}

}  // namespace tapehead
