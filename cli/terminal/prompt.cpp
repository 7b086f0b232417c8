#include "prompt.hpp"
#include "../../core/plural.hpp"
#include "answer.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Tokens = std::vector<int>;

/// Returns the default prompt of a text: a newline if the alphabet has it, since any text can
/// follow it.
Tokens empty_prompt(const Task& task) {
  try {
    const Tokens newline = task.parse("\n");
    if (!newline.empty()) return newline;
  } catch (const ValueError&) {  // the alphabet lacks it
  }
  return {0};
}

}  // namespace

bool generates_lines(const Task& task) { return !task.has_answers() && task.end_token() >= 0; }

Prompt prompt_of(const TaskModel& model, const Task& task, const Tokens& tokens,
                 const std::string& name) {
  constexpr Index text_length = 500;
  const auto length = static_cast<Index>(tokens.size());
  if (task.has_answers()) {
    check_question(task, tokens);
    const Index longest = model.longest_question();
    if (length == 0 || length > longest)
      throw ValueError("{} has {}; the model takes 1 to {}", name, plural(length, "token"),
                       longest);
    return {tokens, tokens, std::min(task.context() + 1 - length, task.longest_answer())};
  }
  if (!generates_lines(task))
    return {tokens, tokens.empty() ? empty_prompt(task) : tokens, text_length};
  if (contains(tokens, task.end_token()))
    throw ValueError("{} must be the beginning of one line", name);
  Tokens begin = {task.end_token()};
  append(begin, tokens);
  // A model that never ends a line stops at the length of the longest one.
  return {tokens, begin, std::max<Index>(1, task.context() - length)};
}

Prompt held_out_prompt(const Task& task, Index number) {
  const Example example = held_out_example(task, number);
  const Tokens question = question_of(example);
  return {question, question, answer_limit(task, example), answer_of(example)};
}

Tokens without_end(const Task& task, Tokens said) {
  if (generates_lines(task) && !said.empty() && said.back() == task.end_token()) said.pop_back();
  return said;
}

}  // namespace tapehead
