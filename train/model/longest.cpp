#include "longest.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// The first held-out example, whose question and answer are drawn out to the longest of the task.
Example longest_example(const Task& task) {
  const Example given = held_out_example(task, 0);
  if (given.tokens.empty()) return given;  // numbers
  const auto middle = given.tokens.begin() + given.question;
  std::vector<int> question(given.tokens.begin(), middle), answer(middle, given.tokens.end());
  const auto draw_out = [](std::vector<int>& tokens, Index length) {
    if (!tokens.empty()) tokens.resize(static_cast<std::size_t>(length), tokens.back());
  };
  const Index most = task.context() + 1, longest_answer = task.longest_answer();
  if (longest_answer < 0 || longest_answer > most)
    throw ValueError("task '{}': longest_answer() returns {}, expected 0 to {}, context() + 1",
                     task.name, longest_answer, most);
  draw_out(answer, longest_answer);
  // A GPT's context may be shorter than both together.
  const Index rest = most - static_cast<Index>(answer.size());
  draw_out(question, std::clamp<Index>(task.longest_question(), 0, rest));
  Example longest{question, static_cast<Index>(question.size())};
  longest.tokens.insert(longest.tokens.end(), answer.begin(), answer.end());
  return longest;
}

}  // namespace

Batch longest_batch(const TaskModel& model, const Task& task, Index examples) {
  const std::vector<Example> all(static_cast<std::size_t>(examples), longest_example(task));
  Batch batch = model.batch(all);
  check_batch(batch, examples);
  batch.lengths.clear();  // there is no padding
  return batch;
}

}  // namespace tapehead
