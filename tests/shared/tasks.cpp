#include "tasks.hpp"
#include "../../parts/parts.hpp"
#include "../../train/config/registry.hpp"
#include "suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace tapehead {
namespace {

Words split(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

const Registry& all_tasks() {
  static const Registry all = make_registry();
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
  return all_tasks().find_task(name).make(options);
}
std::unique_ptr<Task> standard_task(const std::string& name, const std::string& options) {
  return standard_task(name, task_options(options));
}

std::set<std::string> drawn_tasks() {
  std::set<std::string> names;
  const Registry registry = Registry::standard();
  for (const TaskEntry& entry : registry.tasks()) {
    const auto reads_a_file = [](const Option& option) { return option.name == "data"; };
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

void expect_sizes(const TaskSizes& row) {
  BOOST_TEST_CONTEXT(row.name << ' ' << row.options) {
    const auto task = standard_task(row.name, std::string(row.options));
    BOOST_TEST(task->vocabulary() == row.vocabulary);
    BOOST_TEST(task->longest_question() == row.question);
    BOOST_TEST(task->longest_answer() == row.answer);
    BOOST_TEST(task->context() == row.context);
    BOOST_TEST(task->held_out_size() == row.held_out);
    BOOST_TEST(task->has_answers());
    BOOST_TEST(task->recorded_options().empty());
    BOOST_TEST((task->end_token() < 0 ? "" : task->show({task->end_token()})) == row.end);
    std::set<int> seen;
    Index longest = 0, question = 0, answer = 0;
    const Index most = row.context > 500 ? 20 : 1000;
    for (Index number = 0; number < most; ++number)
      for (const Example& example : training_and_held_out(*task, number)) {
        const Index size = example.tokens.size();
        seen.insert(example.tokens.begin(), example.tokens.end());
        longest = std::max(longest, size);
        question = std::max(question, example.question);
        if (number < 100) BOOST_TEST((task->parse(task->show(example.tokens)) == example.tokens));
      }
    for (Index number = 0; number < most; ++number) {
      const Example example = task->held_out_example(number);
      const Index size = example.tokens.size();
      answer = std::max(answer, size - example.question);
      // Exact match covers the whole completion.
      BOOST_TEST((example.target_positions.empty() || example.target_positions.back() == size - 1));
      if (!row.has_fixed_length) continue;
      BOOST_TEST(example.question == row.question);
      BOOST_TEST(size == row.question + row.answer);
    }
    BOOST_TEST(*seen.begin() == 0);
    BOOST_TEST(*seen.rbegin() == row.vocabulary - 1);
    BOOST_TEST(longest <= row.context + 1);
    if (most < 1000) return;  // too few examples to include the longest ones
    BOOST_TEST(longest == row.context + 1);
    BOOST_TEST(question == row.question);
    BOOST_TEST(answer == row.answer);
  }
}

std::unique_ptr<Task> WithData::make(const std::string& name, const std::string& bytes,
                                     TaskOptions options) const {
  options["data"] = scratch.write("x", bytes);
  return standard_task(name, options);
}

namespace {

std::map<std::string, DataFor::Write>& own_data() {
  static std::map<std::string, DataFor::Write> all;
  return all;
}

std::map<std::string, std::string>& known_values() {
  static std::map<std::string, std::string> all = {
      {"operation", "add"},   {"carries", "true"},   {"reversed", "all"},
      {"shorter", "true"},    {"prime", "31"},       {"padded", "true"},
      {"split", "number"},    {"vocabulary", ""},    {"held-out", ""},
      {"function", ""},       {"labels", "true"},    {"unknown", ""},
      {"loss-on", ""},        {"source-length", ""}, {"target-length", ""},
      {"tokens", ""},         {"lengths", ""},       {"index-hints", "64"},
      {"scratchpad", "true"}, {"pairs", ""},         {"characters", "\n 0123456789efilnotXYZ"}};
  return all;
}

}  // namespace

OtherValue::OtherValue(const char* option, const char* value) { known_values()[option] = value; }
const std::map<std::string, std::string>& other_values() { return known_values(); }

DataFor::DataFor(const char* task, Write write) { own_data()[task] = write; }

std::string data_for(const std::string& task, const Scratch& scratch, const std::string& name,
                     bool other) {
  if (const auto own = own_data().find(task); own != own_data().end())
    return own->second(scratch, name, other);
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("line {} of it\n", i * i % 997);
  return scratch.write(name, other ? text.substr(7) + "zebra 1\n" : text);
}

std::string numbered_lines() {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + '\n';
  return text;
}

}  // namespace tapehead
