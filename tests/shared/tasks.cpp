#include "tasks.hpp"
#include "../../train/config/registry.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace tapehead {
namespace {

Words split(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

const Registry& standard() {
  static const Registry all = Registry::standard();
  return all;
}

}  // namespace

TaskOptions task_options(const std::string& text) {
  TaskOptions options;
  for (const std::string& word : split(text)) {
    const std::size_t equals = word.find('=');
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return options;
}

std::unique_ptr<Task> standard_task(const std::string& name, const TaskOptions& options) {
  return standard().find_task(name).make(options);
}
std::unique_ptr<Task> standard_task(const std::string& name, const std::string& options) {
  return standard_task(name, task_options(options));
}

std::set<std::string> drawn_tasks() {
  std::set<std::string> names;
  for (const TaskEntry& entry : standard().tasks()) {
    const auto reads_a_file = [](const TaskOption& option) { return option.name == "data"; };
    if (std::none_of(entry.options.begin(), entry.options.end(), reads_a_file))
      names.insert(entry.name);
  }
  return names;
}

Words shown(const Task& task, const std::vector<int>& tokens) { return split(task.show(tokens)); }
Words shown_question(const Task& task, const Example& example) {
  return shown(task, {example.tokens.begin(), example.tokens.begin() + example.question});
}
Words shown_answer(const Task& task, const Example& example) {
  return shown(task, {example.tokens.begin() + example.question, example.tokens.end()});
}

std::array<Example, 2> training_and_held_out(const Task& task, Index number) {
  return {task.training_example(1, 2, number), task.held_out_example(number)};
}

std::unique_ptr<Task> WithData::make(const std::string& name, const std::string& bytes,
                                     TaskOptions options) const {
  options["data"] = scratch.write("x", bytes);
  return standard_task(name, options);
}

std::string numbered_lines() {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + '\n';
  return text;
}

}  // namespace tapehead
