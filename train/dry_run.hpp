#pragma once
#include "plan.hpp"

namespace tapehead {

/// What a training run would cost: its memory is calculated, and its time measured on a few steps,
/// where they are small enough for that to take no more than about a second.
struct DryRun {
  std::string tree;  ///< the model's modules and shapes
  Index parameters = 0, trained = 0;
  MemoryEstimate need;
  double step_flops = 0;             ///< see step/cost.hpp
  Index steps = 0, evaluations = 0;  ///< of the whole run
  /// Of one step and one evaluation; 0: not measured. The first step isn't timed: it takes its
  /// memory from the system.
  double step_seconds = 0, evaluation_seconds = 0;

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(evaluations) * evaluation_seconds;
  }
};

/// Tells what a plan takes. If that is little, begins to train its model in memory, evaluates some
/// of the held-out examples, and extrapolates. Throws as `train` does.
DryRun estimate_run(const Plan& plan, const Registry& registry);

}  // namespace tapehead
