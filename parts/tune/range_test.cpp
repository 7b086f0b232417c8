#include "range_test.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../../core/runtime/float_mode.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/learner.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index windows = 40;  // in all steps: half of what a smoothed loss is the mean of

Index window_of(Index steps) { return std::max<Index>(steps / windows, 1); }

/// The mean of the last losses.
double recent(const std::vector<RangeTest::Point>& points, Index count) {
  const Index size = static_cast<Index>(points.size());
  double sum = 0;
  for (Index i = std::max<Index>(size - count, 0); i < size; ++i) sum += points.at(i).loss;
  return sum / static_cast<double>(std::min(count, size));
}

}  // namespace

double two_digits(double number) { return std::stod(fmt::format("{:.1e}", number)); }

double RangeTest::candidate() const { return two_digits(lowest / 10); }

void evaluate(RangeTest& test, Index steps) {
  std::vector<RangeTest::Point>& points = test.points;
  const Index window = window_of(steps), size = static_cast<Index>(points.size());
  for (Index i = 0; i < size; ++i) {
    const Index side = std::min({window, i, size - 1 - i});  // as far to either side
    double sum = 0;
    for (Index j = i - side; j <= i + side; ++j) sum += points.at(j).loss;
    points.at(i).smoothed = sum / static_cast<double>(2 * side + 1);
  }
  const auto lowest =
      std::min_element(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.smoothed < b.smoothed; });
  test.lowest = lowest->lr;
  test.steepest = lowest->lr;
  double steepest = 0;  // the rates grow by equal factors, so a difference is a slope
  for (auto point = points.begin(); point < lowest; ++point) {
    const double fall = point->smoothed - (point + 1)->smoothed;
    if (fall <= steepest) continue;
    steepest = fall;
    test.steepest = point->lr;
  }
}

RangeTest range_test(const TrainConfig& config, const Registry& registry,
                     const std::shared_ptr<const Task>& task, const RangeOptions& options,
                     const std::function<void(double)>& told, const std::atomic<bool>& stop) {
  const FloatMode mode;
  const double last = static_cast<double>(std::max<Index>(options.steps - 1, 1));
  const double factor = kernel::log(options.to / options.from) / last;
  const auto rate = [=](Index step) {
    return options.from * kernel::exp(factor * static_cast<double>(step));
  };
  Registry with_range = registry;  // the test is a schedule
  with_range.schedule({"range-test", "grows by the same factor at each step",
                       [=](const TrainConfig&) { return rate; }});
  TrainConfig of_test = config;
  of_test.schedule = "range-test";
  of_test.warmup = 0;
  of_test.steps = options.steps;
  Learner learner(validated(without_unread(of_test, {}, with_range), with_range), with_range, true,
                  task);
  RangeTest test;
  for (Index step = 0; step < options.steps; ++step) {
    if (stop) return {};
    told(static_cast<double>(step) / static_cast<double>(options.steps));
    const StepResult result = learner.step(step);
    test.diverged = !result.is_finite();
    if (test.diverged) break;
    test.points.push_back({rate(step), result.loss, 0});
    test.diverged = recent(test.points, window_of(options.steps)) > 1.5 * test.points[0].loss;
    if (test.diverged) break;
  }
  if (test.points.empty())
    throw Error("tune: the loss of the first step isn't finite, before any rate was tried");
  evaluate(test, options.steps);
  return test;
}

Trial try_rate(TrainConfig config, double lr, Index steps, const Registry& registry,
               const std::shared_ptr<const Task>& task, const std::function<void(double)>& told,
               const std::atomic<bool>& stop) {
  const FloatMode mode;
  config.min_lr *= lr / config.lr;
  config.lr = lr;
  config.steps = steps;
  config.warmup = std::min(config.warmup, steps / 10);
  Trial trial{lr, config.min_lr};
  Learner learner(validated(config, registry), registry, true, task);
  for (Index step = 0; step < steps && !stop; ++step) {
    told(static_cast<double>(step) / static_cast<double>(steps));
    trial.diverged = !learner.step(step).is_finite();
    if (trial.diverged) return trial;
  }
  if (stop) return trial;
  const Evaluation reached =
      learner.evaluate(evaluated_examples(learner.config, *task), {}, {}, &stop);
  trial.diverged = !std::isfinite(reached.loss);
  trial.loss = reached.loss;
  trial.exact_match = reached.exact_match;
  return trial;
}

}  // namespace tapehead
