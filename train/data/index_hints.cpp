#include "index_hints.hpp"
#include "../files/number.hpp"
#include "../files/strings.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr char hint_sign = '@';

}  // namespace

IndexHints::IndexHints(std::unique_ptr<const Task> task, Index hints, std::set<int> marks)
    : task_(std::move(task)),
      hints_(hints),
      symbols_(task_->vocabulary()),
      marks_(std::move(marks)) {
  if (!task_->has_answers() || symbols_ == 0)
    throw UsageError("--index-hints needs prompts and completions of tokens");
  for (const int token : {task_->separator(), task_->end_token()})
    if (token >= 0) marks_.insert(token);
  constexpr Index most = 1000;
  Index needed = 0;
  for (Index number = 0; number < std::min(tapehead::held_out_size(*task_), most); ++number)
    needed = std::max(needed, needed_hints(tapehead::held_out_example(*task_, number)));
  if (hints_ < needed)
    throw UsageError("--index-hints {}: the examples need at least {}, one per symbol", hints_,
                     needed);
}

Index IndexHints::needed_hints(const Example& example) const {
  Index most = 0, count = 0;
  for (Index i = 0; i < static_cast<Index>(example.tokens.size()); ++i) {
    if (i == example.question) count = 0;
    count = marks_.count(example.tokens[i]) > 0 ? 0 : count + 1;
    most = std::max(most, count);
  }
  return most;
}

std::vector<int> IndexHints::hinted(const std::vector<int>& tokens, Index start) const {
  std::vector<int> all;
  Index hint = start;
  for (const int token : tokens) {
    const bool is_mark = marks_.count(token) > 0;
    if (!is_mark) all.push_back(static_cast<int>(symbols_ + hint));
    hint = is_mark ? start : hint + 1;
    all.push_back(token);
  }
  return all;
}

Example IndexHints::hinted(const Example& example, Random random) const {
  const Index start = random.below(hints_ - needed_hints(example) + 1);
  const auto middle = example.tokens.begin() + example.question;
  Example result{hinted({example.tokens.begin(), middle}, start)};
  result.question = static_cast<Index>(result.tokens.size());
  const std::vector<int> answer = hinted({middle, example.tokens.end()}, start);
  append(result.tokens, answer);
  return result;
}

// The sites 3 and 4 keep these numbers independent of those that draw the tokens.
Example IndexHints::training_example(std::uint64_t seed, Index step, Index number) const {
  return hinted(tapehead::training_example(*task_, seed, step, number),
                Random({seed, Draw::batch, static_cast<std::uint32_t>(step), 3,
                        static_cast<std::uint32_t>(number)}));
}

Example IndexHints::held_out_example(Index number) const {
  return hinted(tapehead::held_out_example(*task_, number),
                Random({0, Draw::batch, 0, 4, static_cast<std::uint32_t>(number)}));
}

std::vector<int> IndexHints::without_hints(const std::vector<int>& tokens) const {
  std::vector<int> own;
  for (const int token : tokens)
    if (!is_hint(token)) own.push_back(token);
  return own;
}

std::string IndexHints::show(const std::vector<int>& tokens) const {
  std::string text;
  for (const int token : tokens) {
    if (!text.empty()) text += ' ';
    text +=
        is_hint(token) ? fmt::format("{}{}", hint_sign, token - symbols_) : task_->show({token});
  }
  return text;
}

std::vector<int> IndexHints::parse(const std::string& text) const {
  std::vector<int> tokens;
  for (const std::string& word : split_words(text)) {
    if (word[0] != hint_sign) {
      const std::vector<int> own = task_->parse(word);
      append(tokens, own);
      continue;
    }
    const auto hint = read_whole<Index>(word.substr(1));
    if (!hint || *hint < 0 || *hint >= hints_)
      throw ValueError("'{}' isn't one of the index hints {}0 to {}{}", word, hint_sign, hint_sign,
                       hints_ - 1);
    tokens.push_back(static_cast<int>(symbols_ + *hint));
  }
  return tokens;
}

std::vector<int> IndexHints::parse_prompt(const std::string& text) const {
  if (text.find(hint_sign) != std::string::npos) return parse(text);
  const std::vector<int> own = task_->parse_prompt(text);
  const Index needed = needed_hints({own, static_cast<Index>(own.size())});
  if (needed > hints_)
    throw ValueError("the prompt needs {} index hints, but the model has {}", needed, hints_);
  return hinted(own, 0);
}

std::string IndexHints::prompt_error(const std::vector<int>& question) const {
  const std::vector<int> own = without_hints(question);
  std::string error = task_->prompt_error(own);
  if (!error.empty()) return error;
  const auto first = find_if(question, [this](int token) { return is_hint(token); });
  const Index start = first == question.end() ? 0 : *first - symbols_;
  if (hinted(own, start) == question) return "";
  return fmt::format("index hints must count up by one before each symbol, as in '{}'",
                     show(hinted(own, start)));
}

}  // namespace tapehead
