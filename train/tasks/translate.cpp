#include "sequences.hpp"
#include "tasks.hpp"

#include <optional>
#include <utility>

namespace tapehead {
namespace {

/// The vocabulary: digits, the token that ends a completion, words.
const std::vector<std::string> vocabulary = {
    "0",         "1",        "2",        "3",        "4",        "5",        "6",
    "7",         "8",        "9",        ".",        "zero",     "one",      "two",
    "three",     "four",     "five",     "six",      "seven",    "eight",    "nine",
    "ten",       "eleven",   "twelve",   "thirteen", "fourteen", "fifteen",  "sixteen",
    "seventeen", "eighteen", "nineteen", "twenty",   "thirty",   "forty",    "fifty",
    "sixty",     "seventy",  "eighty",   "ninety",   "hundred",  "thousand", "and"};
constexpr int end = 10, zero = 11, twenty = 31, hundred = 39, thousand = 40, also = 41;

/// Appends the words of a number from 1 to 999: `nine hundred and seven`.
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

/// Returns a number from 0 to 999,999 in words: `nine hundred and seven thousand twenty one`.
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

/// Parses the output of `in_words`; returns nothing for other words.
std::optional<int> number_of(const std::vector<int>& words) {
  int whole = 0, part = 0;
  for (const int word : words) {
    if (word == hundred)
      part *= 100;
    else if (word == thousand)
      whole = 1000 * std::exchange(part, 0);
    else if (word >= twenty && word < hundred)
      part += 10 * (word - twenty + 2);
    else if (word >= zero && word < twenty)
      part += word - zero;
    if (part > 999) return {};
  }
  // Writing the number again detects missing words and wrong order.
  if (in_words(whole + part) != words) return {};
  return whole + part;
}

/// A number in English words, then its digits and the end token. Every number of digits is equally
/// likely.
Example translation(Random& random, Index most_digits) {
  Index limit = 1;
  for (Index digits = 1 + random.below(most_digits); digits > 0; --digits) limit *= 10;
  const auto number = static_cast<int>(random.below(limit));
  Example example{in_words(number), 0};
  example.question = static_cast<Index>(example.tokens.size());
  for (char digit : std::to_string(number)) example.tokens.push_back(digit - '0');
  example.tokens.push_back(end);
  return example;
}

std::unique_ptr<Task> make_translate(const TaskOptions& options) {
  const Index digits = whole_option(options, "digits", 3, 6);
  constexpr Index of_thousands[] = {0, 2, 3, 6};
  SequenceRules rules{"translate", vocabulary,
                      [=](Random& random) { return translation(random, digits); }};
  rules.longest_question = 5 + of_thousands[digits - 3];  // words of the longest number
  rules.longest_answer = digits + 1;
  rules.end = end;
  rules.spelled = false;
  const std::string nines(digits, '9');
  const int largest = std::stoi(nines);
  rules.question = fmt::format("a number of 0 to {} in words", nines);
  rules.is_question = [=](const std::vector<int>& tokens) {
    return number_of(tokens).value_or(largest + 1) <= largest;
  };
  rules.describe_unknown = [](const std::string& word) {
    const std::string near = nearest(word, {vocabulary.begin() + zero, vocabulary.end()});
    return "isn't a number word" + (near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

TaskEntry translate_task() {
  return {"translate",
          "convert a number from English words to digits",
          "cross-attention moves along the sentence with each generated token",
          "exact match above 99 %",
          recipe("--arch encoder-decoder --layers 2 --heads 4 --width 64 --lr 0.002 "
                 "--steps 1000 --eval-every 200"),
          {},
          {{"digits", "digits of the largest number, 3 to 6", "6"}},
          "digits",
          {"encoder-decoder", "gpt"},
          make_translate};
}

}  // namespace tapehead
