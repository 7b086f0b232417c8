#pragma once
// Successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", 2016): all combinations train for a fraction of the steps, and only
// the best continue.
#include "runs.hpp"

namespace tapehead {

/// A stage of successive halving: how many combinations train, and up to which step.
struct Rung {
  std::size_t combinations;
  Index until;
};
/// Returns the stages, from all combinations at few steps to few combinations at all steps. After
/// each stage, one in `factor` combinations continues, to about `factor` times as many steps.
/// Throws UsageError if there are fewer combinations than `factor`.
std::vector<Rung> rungs(std::size_t combinations, Index factor, Index steps);

/// Trains the rows of a sweep and fills their outcomes; `runs` holds the rows' runs in the same
/// order. After each stage, the rows with the lowest median validation loss continue from their
/// checkpoints; in a tie, earlier rows do. Stores the outcomes of each stage in
/// `folder`/halving.json, so that the same call continues after an interruption. Returns false if
/// interrupted.
bool train_by_halving(const std::vector<SweepRun>& runs, Index factor, const std::string& folder,
                      const Shares& shares, bool quiet, Sweep& sweep, Session& session);

}  // namespace tapehead
