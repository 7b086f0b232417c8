#include "../../cli/terminal/answer.hpp"
#include "../shared/toy_training.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(answer)

namespace {

/// A task whose targets are the predictions of an untrained model, except for one example.
class AsTheModelPredicts : public Task {
 public:
  AsTheModelPredicts(Index size, Index wrong) : size_(size), wrong_(wrong) {}

  Index vocabulary() const override { return task_->vocabulary(); }
  Index context() const override { return task_->context(); }
  Index held_out_size() const override { return size_; }
  bool has_answers() const override { return true; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return task_->training_example(seed, step, number);
  }
  Example held_out_example(Index number) const override {
    Example example = task_->held_out_example(number);
    const auto question = example.tokens.begin() + example.question;
    SampleOptions options = greedy();
    options.tokens = answer_limit(*task_, example);
    example.tokens = generate(*model, {example.tokens.begin(), question}, options);
    if (number == wrong_) example.tokens.back() = (example.tokens.back() + 1) % 9;
    return example;
  }
  std::string show(const std::vector<int>& tokens) const override { return task_->show(tokens); }
  std::vector<int> parse(const std::string& text) const override { return task_->parse(text); }

 private:
  TrainConfig config_ = [] {
    TrainConfig config = small_config();
    // so many prompts that no example occurs twice
    config.task_options = {{"length", "6"}, {"symbols", "9"}};
    return config;
  }();
  std::unique_ptr<Task> task_ = make_task(config_, registry());
  Index size_, wrong_;

 public:
  std::unique_ptr<TaskModel> model = make_model(config_, *task_, registry());
};

/// Returns the numbers of the examples that are shown.
std::vector<Index> shown_numbers(const AsTheModelPredicts& task, Index first, bool all_right) {
  std::vector<std::vector<int>> all;
  for (Index i = 0; i < task.held_out_size(); ++i) all.push_back(task.held_out_example(i).tokens);
  std::vector<Index> numbers;
  for (const Example& example : informative_examples(*task.model, task, first, 3, all_right))
    numbers.push_back(std::find(all.begin(), all.end(), example.tokens) - all.begin());
  return numbers;
}

void expect_shown(Index size, Index wrong, Index first, const std::vector<Index>& expected) {
  const std::vector<Index> numbers =
      shown_numbers(AsTheModelPredicts(size, wrong), first, wrong < 0);
  BOOST_TEST(numbers == expected, per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_example_comes_first) {
  expect_shown(20, -1, 0, {0, 1, 2});
  expect_shown(200, 150, 0, {150, 0, 1});
  expect_shown(20, 3, 5, {3, 5, 6});
  expect_shown(20, 1, 0, {1, 0, 2});
  expect_shown(20, -1, 19, {19, 0, 1});
  expect_shown(2, 1, 0, {1, 0});
  expect_shown(2, -1, 5, {1, 0});
  // Examples are shown in order if all are known to be right, or if none is found wrong.
  const std::vector<Index> expected = {0, 1, 2};
  BOOST_TEST(shown_numbers(AsTheModelPredicts(20, 13), 0, true) == expected);
  BOOST_TEST(shown_numbers(AsTheModelPredicts(20, -1), 0, false) == expected);
}

BOOST_AUTO_TEST_CASE(answers_are_shown_and_marked) {
  const AsTheModelPredicts task(20, 1);
  Terminal terminal;
  const std::vector<Example> examples = informative_examples(*task.model, task, 0, 2, false);
  const std::string question =
      task.show({examples[0].tokens.begin(), examples[0].tokens.begin() + 6});
  const std::string text = show_answers(*task.model, task, examples, terminal);
  BOOST_TEST(text.find("  in   " + question + "\n  out  ") == 0u);
  // The last of six tokens is marked as wrong; the second example has no mark.
  BOOST_TEST(text.find("   ✗\n                 ^\n  in   ") != std::string::npos, text);
  BOOST_TEST(text.find("   ✓\n", text.find('^')) == text.size() - std::string("   ✓\n").size());

  // With colour, the line of marks is omitted.
  terminal.colour = true;
  const std::string painted = show_answers(*task.model, task, examples, terminal);
  BOOST_TEST(painted.find('^') == std::string::npos);
  BOOST_TEST(painted.find("\x1b[31m") < painted.find("✗"));

  terminal.width = 12;
  terminal.colour = false;
  const std::string narrow = show_answers(*task.model, task, examples, terminal);
  for (std::size_t at = 0, end; (end = narrow.find('\n', at)) != std::string::npos; at = end + 1)
    BOOST_TEST(display_width(narrow.substr(at, end - at)) <= 12);
  BOOST_TEST(narrow.find("…") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
