#pragma once
// Successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", 2016): all combinations train for a fraction of the steps, and only
// the best continue.
#include "runs.hpp"

namespace tapehead {

/// A stage of training: how many combinations train up to which step.
struct Rung {
  std::size_t combinations;
  Index until;
};
/// Returns the stages, from all combinations to the last stage with a full run's steps. After each
/// stage, one in `factor` continues, for about `factor` times as many steps. Throws UsageError if
/// there are fewer combinations than `factor`.
std::vector<Rung> rungs(std::size_t combinations, Index factor, Index steps);

/// Trains the rows of a sweep; `runs` has their runs in the same order. The rows with the lowest
/// median validation loss so far continue from their last checkpoints; ties go to earlier rows.
/// Keeps the results of each stage in `folder`/halving.json, so that the same call continues after
/// an interruption. Fills the rows; returns false if interrupted.
bool train_by_halving(const std::vector<SweepRun>& runs, Index factor, const std::string& folder,
                      const Shares& shares, bool quiet, Sweep& sweep, Session& session);

}  // namespace tapehead
