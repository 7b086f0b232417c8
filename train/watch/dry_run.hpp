#pragma once
#include "../config/validate.hpp"

namespace tapehead {

/// What a training would take, found by a few of its steps.
struct DryRun {
  std::string tree;  ///< the model's modules and shapes
  Index parameters = 0, trained = 0;
  // Bytes of tensors.
  std::size_t weights = 0, optimizer = 0, average = 0;
  std::size_t step_peak = 0, evaluation_peak = 0;  ///< of everything at once
  // Of one. The first step isn't timed: it takes its memory from the system.
  double step_seconds = 0, evaluation_seconds = 0;
  Index steps = 0, evaluations = 0;  ///< of the whole training

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(evaluations) * evaluation_seconds;
  }
};

/// Begins the training of a configuration in memory, for about two seconds or two steps, whichever
/// take longer, and drops what it did. Of the held-out examples it evaluates some, to judge by
/// those. `told` hears what share is done. Throws as `train` does.
DryRun rehearse(const TrainConfig& config, const Registry& registry,
                const std::function<void(double share)>& told = {});

}  // namespace tapehead
