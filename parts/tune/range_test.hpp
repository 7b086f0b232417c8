#pragma once
// The learning-rate range test: Smith, "Cyclical learning rates for training neural networks",
// 2017, section 3.3.
#include "../../train/config/registry.hpp"
#include "../../train/tasks/task.hpp"

#include <atomic>

namespace tapehead {

struct RangeOptions {
  double from = 1e-6, to = 10;  ///< the rate grows by the same factor at each step
  Index steps = 200;
};

struct RangeTest {
  struct Point {
    double lr, loss;  ///< before the step
    double smoothed;  ///< the mean over the steps around it, a fortieth of all to each side
  };
  std::vector<Point> points;
  bool diverged = false;  ///< it ended before `to`: the loss was half above the first, or no number
  double lowest = 0;      ///< the rate with the lowest smoothed loss
  double steepest = 0;    ///< below it, the rate where that falls fastest
  /// A tenth of `lowest`, with two digits: at the lowest loss it is about to diverge.
  double candidate() const;
};
/// Fills what follows from the rates and losses of at least one point.
void evaluate(RangeTest& test, Index steps);
/// Trains once, in memory. `told` is called with the part that is done; ends early, without points,
/// when `stop` becomes true.
RangeTest range_test(const TrainConfig& config, const Registry& registry,
                     const std::shared_ptr<const Task>& task, const RangeOptions& options,
                     const std::function<void(double)>& told, const std::atomic<bool>& stop);

/// A short run with one rate.
struct Trial {
  double lr = 0, min_lr = 0;
  bool diverged = false;
  double loss = 0, exact_match = 0;  ///< held-out
};
/// Trains `steps` steps, warmup and decay included, with `lr`, and --min-lr in proportion. Ends
/// early when `stop` becomes true.
Trial try_rate(TrainConfig config, double lr, Index steps, const Registry& registry,
               const std::shared_ptr<const Task>& task, const std::function<void(double)>& told,
               const std::atomic<bool>& stop);

/// A number of two digits, as it is typed: 0.0023, 1.5e-05.
double two_digits(double number);

}  // namespace tapehead
