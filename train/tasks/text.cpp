#include "../runs/files.hpp"
#include "characters.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// The characters of a file in sequence. Nine tenths of them are for training.
class Text : public CharacterTask {
 public:
  explicit Text(const TaskOptions& options)
      : CharacterTask("text", options, !options.at("characters").empty()),
        context_(whole_option(options, "context", 1, 65536)) {
    read(sizeof(Token), [this] { take(); });
  }

  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    const Index first = random.below(training_size() - context_);
    return {window(first, first + context_ + 1), 0};
  }
  /// Windows overlap by one character, so that each character but the very first is a target once.
  Index held_out_size() const override {
    return (size() - training_size() - 1 + context_ - 1) / context_;
  }
  Example held_out_example(Index number) const override {
    const Index first = training_size() + number * context_;
    return {window(first, std::min(first + context_ + 1, size())), 0};
  }
  std::size_t bytes() const override { return text_.capacity() * sizeof(Token); }

 private:
  using Token = std::uint16_t;

  /// Reads the file once for its alphabet, unless that is given, and once for its tokens.
  void take() {
    if (!knows_alphabet()) learn(occurring());
    text_.reserve(static_cast<std::size_t>(InputFile(path_).size()));
    each_piece([this](const std::u32string& points) {
      for (char32_t point : points)
        text_.push_back(static_cast<Token>(
            token_at(point, "at character", static_cast<Index>(text_.size()) + 1)));
    });
    // A training window needs one character more than the context, and validation at least two.
    const Index needed = std::max<Index>(11, ((context_ + 1) * 10 + 8) / 9);
    if (static_cast<Index>(text_.size()) < needed)
      throw FileError("{}: {} characters, and --context {} needs at least {}", path_, text_.size(),
                      context_, needed);
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

  Index size() const {
    require_data();
    return static_cast<Index>(text_.size());
  }
  Index training_size() const { return size() * 9 / 10; }
  std::vector<int> window(Index first, Index end) const {
    return {text_.begin() + first, text_.begin() + end};
  }

  Index context_;
  std::vector<Token> text_;
};

}  // namespace

TaskEntry text_task() {
  return {"text",
          "continue a text, character by character",
          "what a language model is: it predicts the next token from those before",
          "1.9 nats per character on tinyshakespeare",
          recipe("--layers 4 --heads 4 --width 128 --batch 12 --steps 2000 --eval-every 1000 "
                 "--warmup 100"),
          {{"fast", "a modern block and Muon: below 1.65 nats in 1,200 steps",
            parse_settings("--position rotary --norm rms --qk-norm true --mlp swiglu "
                           "--zero-out true --attention-temperature head --optimizer muon "
                           "--lr 0.02 --min-lr 0 --adam-lr 0.005 --warmup 10 --schedule wsd "
                           "--decay 0.7 --weight-decay 0 --average 0.98 --steps 1200 "
                           "--eval-every 300")}},
          {{"data", "the text file to learn from, UTF-8", ""},
           {"context", "characters that the model reads", "64"},
           {"characters", "the alphabet; by default, all that occur in the text", ""}},
          "context",
          {"gpt"},
          [](const TaskOptions& options) { return std::make_unique<Text>(options); }};
}

}  // namespace tapehead
