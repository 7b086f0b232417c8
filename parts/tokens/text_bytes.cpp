#include "text_bytes.hpp"
#include "../../train/config/names.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/message.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/tasks/file_task.hpp"
#include "../../train/text/text.hpp"
#include "../../train/text/windows.hpp"
#include "../../train/watch/timing.hpp"
#include "byte_pairs.hpp"

namespace tapehead {
namespace {

/// Returns whether a file contains token ids. `--tokens bytes` reads only .npy files as ids.
bool is_id_file(const TaskOptions& options, const std::string& path) {
  return is_id_file_name(path) && (options.at("tokens") != "bytes" || path.back() == 'y');
}

/// The task `text` with single bytes or BPE tokens. Merges are given or learned from the training
/// split. The split is the same as for characters, so that losses per byte are comparable. The file
/// can also contain ids of these tokens.
class Bytes : public Windows<FileTask> {
 public:
  Bytes(const TaskOptions& options, HeldOut held_out)
      : Windows(options, held_out, options, !options.at("pairs").empty()), options_(options) {
    const std::string& pairs = options.at("pairs");
    if (kind() == "bytes")
      known_ = true;
    else if (!pairs.empty())
      know(BytePairs::from_pairs(pairs, kind() == "gpt2"), "--pairs");
    else if (kind() == "gpt2")
      know(given(options.at("merges")), options.at("merges"));
    if (is_id_file(options, path_))
      read(0, [this] { take_ids(); });
    else
      read(most_memory, [this] { take(); });
  }

  Index vocabulary() const override { return pairs_.size(); }
  std::string show(const std::vector<int>& tokens) const override {
    return replace_invalid(pairs_.decode(tokens));
  }
  std::vector<int> parse(const std::string& text) const override { return pairs_.encode(text); }
  std::string bytes_of(int token) const override { return pairs_.bytes(token); }
  TaskOptions recorded_options() const override {
    return {{"pairs", kind() == "bytes" ? "none" : pairs_.to_pairs()},
            {"vocabulary", options_.at("vocabulary")}};
  }

 private:
  // Bytes of memory for each byte of a text: the text, its valid UTF-8 and its tokens.
  static constexpr int most_memory = 8;

  const std::string& kind() const { return options_.at("tokens"); }

  static BytePairs given(const std::string& path) {
    if (path.empty())
      throw UsageError("--tokens gpt2 requires --merges FILE, the merges.txt of GPT-2");
    return BytePairs::from_text(read_file(path), path);
  }

  void know(BytePairs pairs, const std::string& where) {
    if (pairs.merges().empty()) throw FileError("{}: no merges", where);
    if (pairs.size() > most_tokens)
      throw FileError("{}: {} tokens; a model supports at most {}", where, pairs.size(),
                      most_tokens);
    pairs_ = std::move(pairs);
    known_ = true;
  }

  std::string read_text(const std::string& path) const {
    std::string text = read_file(path);
    if (kind() != "bytes") text = utf8(std::move(text), path);
    // Removes the byte order mark that some editors write before the first character.
    if (starts_with(text, "\xef\xbb\xbf")) text.erase(0, 3);
    return text;
  }

  void take() {
    const std::string text = read_text(path_);
    const std::string_view all = text;
    const bool apart = !held_out_path_.empty();
    const std::string_view training = all.substr(0, apart           ? text.size()
                                                    : all_held_out_ ? 0
                                                                    : training_bytes(text));
    if (!known_) learn(training);
    append(training);
    training_ = size();
    append(apart ? read_text(held_out_path_) : all.substr(training.size()));
    check_sizes();
  }

  void append(std::string_view text) {
    for (int token : pairs_.encode(text)) tokens_.push_back(static_cast<Token>(token));
  }

  void take_ids() {
    if (!known_)
      throw FileError("{}: a file of ids; --tokens bpe requires a text to learn merges from",
                      path_);
    open(options_);
    check_sizes();
    // Checks all ids only before training, since a trained model's file of ids can be large.
    if (options_.at("pairs").empty()) ids_->largest(vocabulary());
  }

  static std::string utf8(std::string text, const std::string& path) {
    try {
      return require_utf8(std::move(text), path);
    } catch (FileError& error) {
      error.append("; --tokens bytes reads any file");
      throw;
    }
  }

  /// Returns the number of bytes in the training split, the first 90 % of the characters.
  static std::size_t training_bytes(const std::string& text) {
    const auto begins = [](char c) { return (c & 0xc0) != 0x80; };
    auto left = count_if(text, begins) * 9 / 10;
    std::size_t bytes = 0;
    for (; bytes < text.size() && (left > 0 || !begins(text[bytes])); ++bytes)
      left -= begins(text[bytes]);
    return bytes;
  }

  void learn(std::string_view training) {
    const bool usual = options_.at("vocabulary").empty();
    const Index wanted = usual ? 512 : whole_option(options_, "vocabulary", 257, most_tokens);
    const auto tell = [this, patience = 10.0, watch = Stopwatch()](int done, int all) mutable {
      if (watch.seconds() < patience) return;
      message(fmt::format("{}: learned {} of {} merges", path_, done, all));
      patience = watch.seconds() + 10;
    };
    BytePairs learned(learn_merges(training, static_cast<int>(wanted - 256), tell), false);
    if (learned.size() < wanted)
      throw FileError("{}: no pair is left to merge after {} tokens; use --vocabulary {}", path_,
                      learned.size(), learned.size());
    know(std::move(learned), path_);
  }

  const TaskOptions options_;
  BytePairs pairs_;
  bool known_ = false;  // whether the merges are known, not learned
};

using Make = std::function<std::unique_ptr<Task>(const TaskOptions&)>;

const std::vector<std::string> token_kinds = {"characters", "bytes", "bpe", "gpt2", "ids"};

/// Returns a function that creates the task for byte and BPE tokens, and calls `others` for other
/// tokens.
Make reader(const Make& others, HeldOut held_out) {
  return [=](TaskOptions options) -> std::unique_ptr<Task> {
    const std::string kind = options.at("tokens");
    require_known("--tokens", kind, token_kinds);
    if (kind != "gpt2" && !options.at("merges").empty())
      throw UsageError("--merges requires --tokens gpt2, got {}", kind);
    if (kind == "characters" || kind == "ids") {
      options.erase("merges");
      return others(options);
    }
    refuse_characters(options);
    if (held_out == HeldOut::all) options["held-out"].clear();
    if (kind != "bytes" || is_id_file(options, options.at("held-out")))
      require_same_format(options);
    return std::make_unique<Bytes>(options, held_out);
  };
}

}  // namespace

TaskEntry with_bytes(TaskEntry text) {
  for (Option& option : text.options) {
    if (option.name == "tokens") {
      option.help = "tokenizer (bpe is learned from the text)";
      option.choices = token_kinds;
    }
    if (option.name == "vocabulary")
      option.help =
          "vocabulary size (default: 512 for bpe, including 256 bytes; from the files for ids)";
    if (option.name == "pairs") option.help = "token merges, as recorded in a run's config.toml";
  }
  text.options.push_back({"merges", "gpt2: GPT-2's merges.txt", ""});
  text.make = reader(text.make, HeldOut::split);
  text.make_held_out = reader(text.make_held_out, HeldOut::all);
  return text;
}

}  // namespace tapehead
