#pragma once
// The standard tasks by name, and their examples as text.
#include "../../train/data/task.hpp"
#include "scratch.hpp"

#include <array>
#include <map>
#include <set>

namespace tapehead {

/// Parses `length=6 symbols=3`.
TaskOptions task_options(const std::string& text);
std::unique_ptr<Task> standard_task(const std::string& name, const TaskOptions& options = {});
std::unique_ptr<Task> standard_task(const std::string& name, const std::string& options);
/// Returns the names of tasks that draw their examples, without tasks of optional modules. A table
/// that must cover every task has a row for each.
std::set<std::string> drawn_tasks();

using Words = std::vector<std::string>;
/// Convert tokens to text: one word per token.
Words shown(const Task& task, const std::vector<int>& tokens);
Words shown_question(const Task& task, const Example& example);
Words shown_answer(const Task& task, const Example& example);

/// Returns an example of each side of the split.
std::array<Example, 2> training_and_held_out(const Task& task, Index number);

/// The sizes of a task with these options.
struct TaskSizes {
  const char *name, *options;
  Index vocabulary, question, answer, context;
  const char* end = "";
  Index held_out = 1000;
  bool has_fixed_length = true;
};
void expect_sizes(const TaskSizes& row);

/// Base of suites for tasks that learn from a file.
struct WithData : InScratch {
  std::unique_ptr<Task> make(const std::string& name, const std::string& bytes,
                             TaskOptions options = {}) const;
};
/// Writes data for a task's `--data` into the folder. Each task has two fixed contents; `other`
/// selects the second. Returns the path.
std::string data_for(const std::string& task, const Scratch& scratch,
                     const std::string& name = "data", bool other = false);
/// Registers a task's data; other tasks get lines of text.
struct DataFor {
  using Write = std::string (*)(const Scratch& scratch, const std::string& name, bool other);
  DataFor(const char* task, Write write);
};
/// Registers another value of an option that can't be tested with a larger number, or of a `train`
/// option that only some values of other options read. Empty: the option is tested elsewhere.
struct OtherValue {
  OtherValue(const char* option, const char* value);
};
const std::map<std::string, std::string>& other_values();
/// Returns the lines 0 to 99, as data for tasks that learn from a file.
std::string numbered_lines();

}  // namespace tapehead
