#pragma once
// Successive halving: all combinations train for a part of the steps, the best of them go on.
// Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization",
// 2016.
#include "runs.hpp"

namespace tapehead {

/// A stretch of training: how many combinations train up to which step.
struct Rung {
  std::size_t combinations;
  Index until;
};
/// From the first, with all combinations, to the last, with the steps of a whole run: at each, one
/// of `factor` goes on, for about `factor` times as many steps. Throws UsageError where there are
/// fewer combinations than `factor`.
std::vector<Rung> rungs(std::size_t combinations, Index factor, Index steps);

/// Trains the rows of a sweep, whose runs are in `runs` in the same order. The rows with the lowest
/// median held-out loss so far continue from the checkpoint where they stopped; among equal
/// rows, the first. The results at each rung are kept in `folder`/halving.json, so that the same
/// call continues after an interruption. Fills the rows; returns false if it was interrupted.
bool train_by_halving(const std::vector<SweepRun>& runs, Index factor, const std::string& folder,
                      const Shares& shares, bool quiet, Sweep& sweep, Session& session);

}  // namespace tapehead
