#include "../../core/ops.hpp"
#include "../../train/evaluate.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(regression)

namespace {

/// Returns the mean of one curve over validation examples. `score` is the logit of the correct
/// token; all others are 0.
std::vector<double> mean_curve(const Task& task, const std::string& name, double score = 0) {
  constexpr Index examples = 1000;
  std::vector<double> mean;
  for (Index number = 0; number < examples; ++number) {
    const Example example = task.held_out_example(number);
    const auto n = static_cast<Index>(example.target_positions.size());
    std::vector<double> logits(n * task.vocabulary());
    for (Index i = 0; i < n; ++i)
      logits[i * task.vocabulary() + example.tokens[example.target_positions[i]]] = score;
    const AnswerCurves curves = task.curves(example, tensor(logits, {n, task.vocabulary()}));
    mean.resize(n);
    for (const AnswerCurves::Line& line : curves.lines)
      if (line.name == name)
        for (Index i = 0; i < n; ++i) mean[i] += line.values[i] / examples;
  }
  return mean;
}

}  // namespace

BOOST_AUTO_TEST_CASE(least_squares_needs_as_many_examples_as_dimensions) {
  for (const char* dimensions : {"1", "2", "4"}) BOOST_TEST_CONTEXT(dimensions << " dimensions") {
      const auto task = standard_task(
          "regression", {{"dimensions", dimensions}, {"examples", "16"}, {"bins", "256"}});
      const Index d = std::stoi(dimensions);
      const std::vector<double> least = mean_curve(*task, "least squares");
      const std::vector<double> zero = mean_curve(*task, "always 0");
      BOOST_TEST(least[0] == zero[0]);
      for (Index i = 1; i <= d; ++i) BOOST_TEST(least[i] < least[i - 1]);
      // With i < d examples, the share (d - i) / d of the weights is unknown.
      for (Index i = 0; i < d; ++i)
        BOOST_TEST(std::abs(least[i] - static_cast<double>(d - i) / static_cast<double>(d)) < 0.12);
      // The rest is mostly from numbers beyond the outermost bins.
      for (Index i = 2 * d + 1; i < 16; ++i) BOOST_TEST(least[i] < 0.025);
      for (double error : zero) BOOST_TEST(std::abs(error - 1) < 0.3);
    }
}

BOOST_AUTO_TEST_CASE(a_model_is_measured_by_the_mean_that_it_predicts) {
  const auto task = standard_task("regression");
  const std::vector<double> undecided =
      mean_curve(*task, "model");  // uniform over bins: their mean
  const std::vector<double> zero = mean_curve(*task, "always 0");
  const std::vector<double> right = mean_curve(*task, "model", 100);
  for (std::size_t i = 0; i < zero.size(); ++i) {
    BOOST_TEST(std::abs(undecided[i] - zero[i]) < 1e-6);
    BOOST_TEST(right[i] < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(half_of_the_training_has_positive_x) {
  const auto task =
      standard_task("regression", {{"dimensions", "1"}, {"examples", "20"}, {"bins", "32"}});
  Index positive = 0, held_out = 0;
  const auto is_positive = [](const Example& example) {
    for (Index i = 0; i < 40; i += 2)
      if (example.tokens[i] < 16) return false;
    return true;
  };
  for (Index number = 0; number < 1000; ++number) {
    positive += is_positive(task->training_example(0, 0, number));
    held_out += is_positive(task->held_out_example(number));
  }
  BOOST_TEST(std::abs(positive - 500) < 60);
  BOOST_TEST(held_out == 0);
}

BOOST_AUTO_TEST_SUITE_END()
