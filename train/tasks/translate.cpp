#include "tasks.hpp"

#include <algorithm>
#include <sstream>

namespace tapehead {
namespace {

/// The vocabulary: the digits, the symbol that closes an answer, the words.
const std::vector<std::string> names = {
    "0",         "1",        "2",        "3",        "4",        "5",        "6",
    "7",         "8",        "9",        ".",        "zero",     "one",      "two",
    "three",     "four",     "five",     "six",      "seven",    "eight",    "nine",
    "ten",       "eleven",   "twelve",   "thirteen", "fourteen", "fifteen",  "sixteen",
    "seventeen", "eighteen", "nineteen", "twenty",   "thirty",   "forty",    "fifty",
    "sixty",     "seventy",  "eighty",   "ninety",   "hundred",  "thousand", "and"};
constexpr int end = 10, zero = 11, twenty = 31, hundred = 39, thousand = 40, also = 41;

/// A number of 1 to 999: `nine hundred and seven`.
void add_words(std::vector<int>& words, int number) {
  if (number >= 100) {
    words.push_back(zero + number / 100);
    words.push_back(hundred);
    if (number % 100 > 0) words.push_back(also);
  }
  const int rest = number % 100;
  if (rest >= 20) words.push_back(twenty + rest / 10 - 2);
  const int units = rest >= 20 ? rest % 10 : rest;
  if (units > 0) words.push_back(zero + units);
}

/// A number of 0 to 999,999: `nine hundred and seven thousand twenty one`.
std::vector<int> in_words(int number) {
  if (number == 0) return {zero};
  std::vector<int> words;
  if (number >= 1000) {
    add_words(words, number / 1000);
    words.push_back(thousand);
  }
  add_words(words, number % 1000);
  return words;
}

/// A number in English words, then its digits and the symbol that closes them.
class Translate : public Task {
 public:
  explicit Translate(const TaskOptions& options) : digits_(whole_option(options, "digits", 3, 6)) {}

  Index vocabulary() const override { return static_cast<Index>(names.size()); }
  Index context() const override { return longest_question() + longest_answer() - 1; }
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
  /// As of 999, 9999, 99999 and 999999.
  Index longest_question() const override {
    constexpr Index of_thousands[] = {0, 2, 3, 6};
    return 5 + of_thousands[digits_ - 3];
  }
  Index longest_answer() const override { return digits_ + 1; }
  int end_symbol() const override { return end; }

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
    for (std::string word; words >> word;) {
      const auto at = std::find(names.begin(), names.end(), word);
      if (at == names.end()) {
        const std::string near = nearest(word, {names.begin() + zero, names.end()});
        throw ValueError("translate: '{}' is no word of a number{}", word,
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
      }
      tokens.push_back(static_cast<int>(at - names.begin()));
    }
    return tokens;
  }

 private:
  /// Draws until the question is on the right side of the split. Numbers of few digits are as
  /// frequent as those of many.
  Example draw(const RandomKey& key, bool held_out) const {
    Random random(key);
    for (;;) {
      Index limit = 1;
      for (Index digits = 1 + random.below(digits_); digits > 0; --digits) limit *= 10;
      const auto number = static_cast<int>(random.below(limit));
      Example example{in_words(number), 0};
      example.question = static_cast<Index>(example.tokens.size());
      if (is_held_out(example.tokens.data(), example.question) != held_out) continue;
      for (char digit : std::to_string(number)) example.tokens.push_back(digit - '0');
      example.tokens.push_back(end);
      return example;
    }
  }

  Index digits_;
};

}  // namespace

TaskEntry translate_task() {
  TaskEntry entry;
  entry.name = "translate";
  entry.summary = "write in digits what a number is in English words";
  entry.teaches = "a decoder looks across at a sentence, further on with each symbol";
  entry.expected = "exact match above 99 %";
  entry.architectures = {"encoder-decoder", "gpt"};
  entry.recipe = recipe(
      "--arch encoder-decoder --layers 2 --heads 4 --width 64 --lr 0.002 --steps 1000 "
      "--eval-every 200");
  entry.length_option = "digits";
  entry.options = {{"digits", "the most that a number has, 3 to 6", "6"}};
  entry.make = [](const TaskOptions& options) { return std::make_unique<Translate>(options); };
  return entry;
}

}  // namespace tapehead
