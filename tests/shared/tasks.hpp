#pragma once
// The standard tasks by name, and their examples as they are shown.
#include "../../train/tasks/task.hpp"
#include "scratch.hpp"

#include <array>
#include <set>

namespace tapehead {

/// `length=6 symbols=3`.
TaskOptions task_options(const std::string& text);
std::unique_ptr<Task> standard_task(const std::string& name, const TaskOptions& options = {});
std::unique_ptr<Task> standard_task(const std::string& name, const std::string& options);
/// The names of those that draw their examples instead of reading a file: a table that is to cover
/// every task has a row for each.
std::set<std::string> drawn_tasks();

using Words = std::vector<std::string>;
/// One word a token.
Words shown(const Task& task, const std::vector<int>& tokens);
Words shown_question(const Task& task, const Example& example);
Words shown_answer(const Task& task, const Example& example);

/// An example of each side of the split.
std::array<Example, 2> training_and_held_out(const Task& task, Index number);

/// For a suite of tasks that learn from a file.
struct WithData : InScratch {
  std::unique_ptr<Task> make(const std::string& name, const std::string& bytes,
                             TaskOptions options = {}) const;
};
/// The lines 0 to 99, as data for tasks that learn from a file.
std::string numbered_lines();

}  // namespace tapehead
