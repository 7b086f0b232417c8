#pragma once
#include "plan.hpp"

namespace tapehead {

/// The cost of a training run. Memory is calculated. Time is extrapolated from a few steps, if
/// these take at most about a second.
struct DryRun {
  std::string tree;  ///< the model's modules and shapes
  /// Number of elements of all parameters, and of those that aren't frozen.
  Index parameters = 0, trained = 0;
  MemoryEstimate need;
  double step_flops = 0;             ///< operations per step; see step/cost.hpp
  Index steps = 0, evaluations = 0;  ///< numbers in the whole run
  /// Seconds per step and per evaluation; 0 if not measured. The first step isn't timed, since it
  /// also allocates memory.
  double step_seconds = 0, evaluation_seconds = 0;

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(evaluations) * evaluation_seconds;
  }
};

/// Calculates the cost of a plan. For a small model, also runs some steps and part of an evaluation
/// in memory, and extrapolates their time. Throws as `train` does.
DryRun estimate_run(const Plan& plan, const Registry& registry);

}  // namespace tapehead
