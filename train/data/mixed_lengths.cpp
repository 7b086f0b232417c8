#include "mixed_lengths.hpp"
#include "../files/number.hpp"
#include "../files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace tapehead {
namespace {

constexpr Index longest_length = 65535;
constexpr std::size_t most_lengths = 4096;
constexpr char separator_sign = '|', end_sign = '$';

/// Parses `16`, `1..20` or `10..100..10`; returns nothing for other texts.
std::vector<Index> parse_range(const std::string& text) {
  std::vector<Index> numbers;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find("..", first), text.size());
    const auto number = read_whole<Index>(text.substr(first, end - first));
    if (!number || *number < 1 || *number > longest_length || numbers.size() == 3) return {};
    numbers.push_back(*number);
    first = end + 2;
  }
  const Index last = numbers.size() > 1 ? numbers[1] : numbers[0];
  const Index step = numbers.size() > 2 ? numbers[2] : 1;
  std::vector<Index> lengths;
  for (Index length = numbers[0]; length <= last; length += step) lengths.push_back(length);
  return lengths;
}

/// Returns whether the task's own tokens are written with this sign, too.
bool is_own_sign(const Task& task, char sign) {
  try {
    return !task.parse({sign}).empty();
  } catch (const ValueError&) {
    return false;
  }
}

}  // namespace

std::vector<Index> parse_lengths(const std::string& text, const std::string& option) {
  std::vector<Index> lengths;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    const std::vector<Index> some = parse_range(text.substr(first, end - first));
    if (some.empty())
      throw UsageError(
          "{} must be a length from 1 to {}, a range such as 1..20 or 10..100..10, or a list such "
          "as 4,8,16; got '{}'",
          option, longest_length, text);
    append(lengths, some);
    first = end + 1;
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  if (lengths.size() > most_lengths)
    throw UsageError("{} {} has {} lengths, expected at most {}; use steps, as in 10..1000..10",
                     option, text, lengths.size(), most_lengths);
  return lengths;
}

MixedLengths::MixedLengths(const Task& usual, const std::vector<Index>& lengths, const Make& make)
    : lengths_(lengths), vocabulary_(usual.vocabulary()), held_out_(usual.held_out_size()) {
  if (!usual.has_answers() || vocabulary_ == 0)
    throw UsageError("the examples must be prompts and completions of tokens");
  const auto add = [&](char sign) {
    if (is_own_sign(usual, sign))
      throw UsageError("the task writes one of its tokens as '{}', which marks {} here", sign,
                       sign == end_sign ? "the end of a completion" : "the end of a prompt");
    return static_cast<int>(vocabulary_++);
  };
  if (!usual.shows_prompt_end() && usual.separator() < 0) separator_ = add(separator_sign);
  const bool shows_length = usual.longest_answer() == 1 || usual.placeholder() >= 0;
  if (usual.end_token() < 0 && !shows_length) end_ = add(end_sign);
  const Index separators = separator_ >= 0 ? 1 : 0, ends = end_ >= 0 ? 1 : 0;
  const auto count = static_cast<Index>(lengths_.size());
  held_out_ = std::max(held_out_, count);
  for (const Index length : lengths_) {
    const Task& task = *tasks_.emplace_back(make(length));
    if (task.vocabulary() != usual.vocabulary())
      throw UsageError(
          "at length {} the vocabulary has {} tokens, not {}; it must not depend on "
          "the length",
          length, task.vocabulary(), usual.vocabulary());
    context_ = std::max(context_, task.context() + separators + ends);
    longest_question_ = std::max(longest_question_, task.longest_question() + separators);
    longest_answer_ = std::max(longest_answer_, task.longest_answer() + ends);
    held_out_ = std::min(held_out_, count * tapehead::held_out_size(task));
  }
}

Example MixedLengths::marked(Example example) const {
  if (separator_ >= 0) {
    example.tokens.insert(example.tokens.begin() + example.question, separator_);
    for (Index& position : example.target_positions)
      if (position >= example.question) ++position;
    ++example.question;
  }
  if (end_ >= 0) {
    if (!example.target_positions.empty())
      example.target_positions.push_back(static_cast<Index>(example.tokens.size()));
    example.tokens.push_back(end_);
  }
  return example;
}

Example MixedLengths::training_example(std::uint64_t seed, Index step, Index number) const {
  // The site 2 keeps these numbers independent of those that draw the tokens.
  Random random(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 2, static_cast<std::uint32_t>(number)});
  const Index drawn = random.below(static_cast<Index>(tasks_.size()));
  return marked(tapehead::training_example(*tasks_[drawn], seed, step, number));
}

Example MixedLengths::held_out_example(Index number) const {
  const auto count = static_cast<Index>(tasks_.size());
  return marked(tapehead::held_out_example(*tasks_[number % count], number / count));
}

std::string MixedLengths::show(const std::vector<int>& tokens) const {
  std::string text;
  std::vector<int> own;
  const auto add = [&](const std::string& piece) {
    if (!piece.empty()) text += (text.empty() ? "" : " ") + piece;
  };
  for (const int token : tokens) {
    if (token < longest().vocabulary()) {
      own.push_back(token);
      continue;
    }
    add(longest().show(own));
    own.clear();
    add({token == separator_ ? separator_sign : end_sign});
  }
  add(longest().show(own));
  return text;
}

std::vector<int> MixedLengths::parsed(const std::string& text, bool is_prompt) const {
  std::vector<int> tokens;
  for (std::size_t first = 0; first < text.size();) {
    std::size_t end = first;
    const auto added = [&](char sign) {
      return sign == separator_sign ? separator_ : sign == end_sign ? end_ : -1;
    };
    while (end < text.size() && added(text[end]) < 0) ++end;
    const std::string piece = text.substr(first, end - first);
    const bool is_blank = piece.find_first_not_of(' ') == std::string::npos;
    const std::vector<int> some = is_blank                  ? std::vector<int>()
                                  : is_prompt && first == 0 ? longest().parse_prompt(piece)
                                                            : longest().parse(piece);
    append(tokens, some);
    if (end < text.size()) tokens.push_back(added(text[end]));
    first = end + 1;
  }
  return tokens;
}

std::vector<int> MixedLengths::parse(const std::string& text) const { return parsed(text, false); }

std::vector<int> MixedLengths::parse_prompt(const std::string& text) const {
  std::vector<int> tokens = parsed(text, true);
  if (separator_ >= 0 && !contains(tokens, separator_)) tokens.push_back(separator_);
  return tokens;
}

std::string MixedLengths::prompt_error(const std::vector<int>& question) const {
  std::vector<int> own = question;
  if (separator_ >= 0) {
    if (own.empty() || own.back() != separator_)
      return fmt::format("the prompt must end with {}, got '{}'", separator_sign, show(question));
    own.pop_back();
  }
  std::size_t nearest = 0;  // the index of the task with the most similar number of tokens
  Index least = -1;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i]->prompt_error(own).empty()) return "";
    const Index expected = tapehead::held_out_example(*tasks_[i], 0).question;
    const Index difference = std::abs(expected - static_cast<Index>(own.size()));
    if (least >= 0 && difference > least) continue;
    least = difference;
    nearest = i;
  }
  return fmt::format("lengths are from {} to {}; at length {}, {}", lengths_.front(),
                     lengths_.back(), lengths_[nearest], tasks_[nearest]->prompt_error(own));
}

std::string MixedLengths::data_note() const {
  std::vector<Index> few;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (!tasks_[i]->few_prompts().empty()) few.push_back(lengths_[i]);
  if (few.empty()) return longest().data_note();
  return fmt::format(
      "too few different prompts of length {} for a validation split, so training sees them all",
      fmt::join(few, ", "));
}

std::size_t MixedLengths::bytes() const {
  std::size_t sum = 0;
  for (const auto& task : tasks_) sum += task->bytes();
  return sum;
}

}  // namespace tapehead
