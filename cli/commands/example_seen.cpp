#include "example_seen.hpp"
#include "../../core/plural.hpp"
#include "../terminal/answer.hpp"
#include "../terminal/progress_line.hpp"

#include <algorithm>

namespace tapehead {

Index prompt_length(const std::vector<int>& tokens, const LoadedRun& run) {
  if (run.model->arch == "gpt")
    for (std::size_t length = tokens.size(); length > 0; --length)
      if (run.task->prompt_error({tokens.begin(), tokens.begin() + length}).empty()) return length;
  check_question(*run.task, tokens);
  return static_cast<Index>(tokens.size());
}

Example example_to_show(const LoadedRun& run, const std::string* text, Index number,
                        const char* option, const Terminal& terminal) {
  const Task& task = *run.task;
  const Index longest = run.model->longest_question();
  std::vector<int> tokens;
  if (text) {
    tokens = task.parse_prompt(*text);
  } else {
    const Example held_out = held_out_example(task, number);
    tokens = held_out.tokens;
    constexpr Index glance = 32;  // tokens of a text to show
    const Index wanted = task.has_answers() ? held_out.question : std::min(longest, glance);
    tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(wanted)));
  }
  const auto length = static_cast<Index>(tokens.size());
  if (length < 1 || length > longest)
    throw UsageError("{} has {}; the model takes 1 to {}", option, plural(length, "token"),
                     longest);
  if (!task.has_answers()) return {tokens, length};
  if (length > prompt_length(tokens, run)) return {tokens, length};
  SampleOptions options = greedy();
  options.tokens = std::min(task.context() + 1 - length, task.longest_answer());
  options.end = task.end_token();
  ProgressLine line(terminal, "answering");
  double generated = 0;
  const auto on_progress = [&](int) { line(++generated / static_cast<double>(options.tokens)); };
  return {generate(*run.model, tokens, options, on_progress), length};
}

}  // namespace tapehead
