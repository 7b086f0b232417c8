#include <tapehead/train/tasks.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace tapehead {
namespace {

constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyz";

/// s1 ... sL, then s1 ... sL again.
class Copy : public Task {
 public:
  explicit Copy(const TaskOptions& options)
      : length_(whole_option(options, "length", 1, 1024)),
        symbols_(whole_option(options, "symbols", 2, static_cast<Index>(names.size()))) {
    constexpr Index needed = 256;
    Index questions = 1;
    for (Index i = 0; i < length_ && questions < needed; ++i) questions *= symbols_;
    if (questions < needed)
      throw UsageError(
          "--length {} of --symbols {} makes only {} sequences, and to hold some out {} are needed",
          length_, symbols_, questions, needed);
  }

  Index vocabulary() const override { return symbols_; }
  Index context() const override { return 2 * length_ - 1; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return draw({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                 static_cast<std::uint32_t>(number)},
                false);
  }
  Index held_out_size() const override { return 1000; }
  Example held_out_example(Index number) const override {
    return draw({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
  }
  bool has_answers() const override { return true; }

  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (int token : tokens) {
      if (!text.empty()) text += ' ';
      text += names.at(static_cast<std::size_t>(token));
    }
    return text;
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> tokens;
    std::istringstream words(text);
    for (std::string word; words >> word;)
      for (char symbol : word) {
        const std::size_t token = names.find(symbol);
        if (token >= static_cast<std::size_t>(symbols_))
          throw ValueError("copy: '{}' is not made of the symbols 0 to {}", word,
                           names[static_cast<std::size_t>(symbols_ - 1)]);
        tokens.push_back(static_cast<int>(token));
      }
    return tokens;
  }

 private:
  /// Draws until the question is on the right side of the split.
  Example draw(const RandomKey& key, bool held_out) const {
    Random random(key);
    Example example{std::vector<int>(static_cast<std::size_t>(2 * length_)), length_};
    const auto half = example.tokens.begin() + length_;
    do
      std::generate(example.tokens.begin(), half,
                    [&] { return static_cast<int>(random.below(symbols_)); });
    while (is_held_out(example.tokens.data(), length_) != held_out);
    std::copy(example.tokens.begin(), half, half);
    return example;
  }

  Index length_, symbols_;
};

}  // namespace

TaskEntry copy_task() {
  TaskEntry entry;
  entry.name = "copy";
  entry.summary = "say a sequence of symbols again";
  entry.teaches = "a head learns to look back by a fixed distance";
  entry.expected = "exact match 100 %";
  entry.recipe.layers = 1;
  entry.recipe.heads = 2;
  entry.recipe.lr = 3e-3;
  entry.recipe.steps = 300;
  entry.options = {{"length", "symbols in a sequence", "16"},
                   {"symbols", "how many different ones there are, at most 36", "16"}};
  entry.make = [](const TaskOptions& options) { return std::make_unique<Copy>(options); };
  return entry;
}

}  // namespace tapehead
