#pragma once
// The standard tasks by name, and their examples as they are shown.
#include "../../train/data/task.hpp"
#include "scratch.hpp"

#include <array>
#include <map>
#include <set>

namespace tapehead {

/// `length=6 symbols=3`.
TaskOptions task_options(const std::string& text);
std::unique_ptr<Task> standard_task(const std::string& name, const TaskOptions& options = {});
std::unique_ptr<Task> standard_task(const std::string& name, const std::string& options);
/// The names of those that draw their examples instead of reading a file, but for tasks of parts: a
/// table that is to cover every task has a row for each.
std::set<std::string> drawn_tasks();

using Words = std::vector<std::string>;
/// One word a token.
Words shown(const Task& task, const std::vector<int>& tokens);
Words shown_question(const Task& task, const Example& example);
Words shown_answer(const Task& task, const Example& example);

/// An example of each side of the split.
std::array<Example, 2> training_and_held_out(const Task& task, Index number);

/// What a task with these options is of.
struct TaskSizes {
  const char *name, *options;
  Index vocabulary, question, answer, context;
  const char* end = "";
  Index held_out = 1000;
  bool has_fixed_length = true;
};
void expect_sizes(const TaskSizes& row);

/// For a suite of tasks that learn from a file.
struct WithData : InScratch {
  std::unique_ptr<Task> make(const std::string& name, const std::string& bytes,
                             TaskOptions options = {}) const;
};
/// Writes what `--data` may name for a task, in the folder and under the name given: the same each
/// time, or some `other` data. Returns its path.
std::string data_for(const std::string& task, const Scratch& scratch,
                     const std::string& name = "data", bool other = false);
/// That is lines of text, but where one of these says for a task what it is.
struct DataFor {
  using Write = std::string (*)(const Scratch& scratch, const std::string& name, bool other);
  DataFor(const char* task, Write write);
};
/// Another value of an option of a task, where a larger number won't do, or of `train`, where only
/// some parts read it; empty: the option is tested elsewhere.
struct OtherValue {
  OtherValue(const char* option, const char* value);
};
const std::map<std::string, std::string>& other_values();
/// The lines 0 to 99, as data for tasks that learn from a file.
std::string numbered_lines();

}  // namespace tapehead
