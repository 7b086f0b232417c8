#pragma once
#include "../config/validate.hpp"

namespace tapehead {

/// What a training run would cost, measured on a few of its steps.
struct DryRun {
  std::string tree;  ///< the model's modules and shapes
  Index parameters = 0, trained = 0;
  // Bytes of tensors.
  std::size_t weights = 0, optimizer = 0, average = 0;
  std::size_t step_peak = 0, evaluation_peak = 0;  ///< of everything at once
  // Of one step and one evaluation. The first step isn't timed: it takes its memory from the
  // system.
  double step_seconds = 0, evaluation_seconds = 0;
  Index steps = 0, evaluations = 0;  ///< of the whole run

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(evaluations) * evaluation_seconds;
  }
};

/// Begins to train a configuration in memory, for about two seconds or two steps, whichever takes
/// longer, and discards the result. It evaluates some of the held-out examples and extrapolates.
/// `told` is called with the fraction done. Throws as `train` does.
DryRun rehearse(const TrainConfig& config, const Registry& registry,
                const std::function<void(double fraction)>& told = {});

}  // namespace tapehead
