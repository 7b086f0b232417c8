// Checks of the examples and sizes that a task returns, since custom tasks can return anything.
#include "../../core/containers.hpp"
#include "task.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tapehead {
namespace {

constexpr Index most = std::numeric_limits<std::int32_t>::max();  // token ids are i32

std::string titled(const Task& task) {
  return task.name.empty() ? "the task" : fmt::format("task '{}'", task.name);
}

void check_size(const Task& task, const char* what, Index value, Index least) {
  if (value < least || value > most)
    throw ValueError("{}: {}() returns {}, expected {} to {}", titled(task), what, value, least,
                     most);
}

void check_tokens(const Task& task, const Example& example) {
  const Index vocabulary = task.vocabulary();
  const auto& tokens = example.tokens;
  const auto wrong = find_if(tokens, [=](int token) { return token < 0 || token >= vocabulary; });
  if (wrong != tokens.end())
    throw ValueError("token {} at position {} is not below the vocabulary size {}", *wrong,
                     wrong - tokens.begin(), vocabulary);
  if (tokens.empty() && task.has_answers())
    throw ValueError("no tokens, but has_answers() is true");
}

/// Returns `example` if it is valid. Otherwise throws ValueError with the task's name and `name()`.
template <class Name>
Example checked(const Task& task, Example example, const Name& name) {
  try {
    check_positions(example);
    check_tokens(task, example);
  } catch (const ValueError& error) {
    throw ValueError("{}: {}: {}", titled(task), name(), error.what());
  }
  return example;
}

}  // namespace

void check_positions(const Example& example) {
  const auto count = static_cast<Index>(example.tokens.size());
  if (example.question < 0 || example.question > count)
    throw ValueError("question is {}, expected 0 to {} (the number of tokens)", example.question,
                     count);
  for (const Index position : example.target_positions)
    if (position < 1 || position >= count)  // position 0 can't be predicted
      throw ValueError("target position is {}, expected 1 to {}", position, count - 1);
  std::vector<Index> asked = example.target_positions;
  std::sort(asked.begin(), asked.end());
  if (const auto twice = std::adjacent_find(asked.begin(), asked.end()); twice != asked.end())
    throw ValueError("target position {} occurs twice", *twice);
}

Example training_example(const Task& task, std::uint64_t seed, Index step, Index number) {
  return checked(task, task.training_example(seed, step, number),
                 [=] { return fmt::format("training example {} of step {}", number, step); });
}

Example held_out_example(const Task& task, Index number) {
  return checked(task, task.held_out_example(number),
                 [=] { return fmt::format("validation example {}", number); });
}

Index held_out_size(const Task& task) {
  const Index size = task.held_out_size();
  check_size(task, "held_out_size", size, 0);
  return size;
}

void check_sizes(const Task& task) {
  check_size(task, "vocabulary", task.vocabulary(), 0);
  check_size(task, "context", task.context(), 1);
}

}  // namespace tapehead
