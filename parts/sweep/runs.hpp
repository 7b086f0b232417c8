#pragma once
// Trains the runs of a sweep, several at a time.
#include "../../cli/commands/commands.hpp"
#include "../../train/plan.hpp"
#include "results.hpp"

namespace tapehead {

/// The resources that a run's plan needs.
struct RunNeed {
  int threads = 1;
  double bytes = 0;
};

/// A run of a sweep.
struct SweepRun {
  TrainConfig config;  ///< its `out` is the run's folder
  std::string name;    ///< folder name within the sweep's folder
  RunNeed need;
};

/// The number of runs that train in parallel, and the maximum number of threads for each.
struct Shares {
  int jobs = 1, threads = 1;
};
/// Returns shares for `asked` parallel runs or, for 0, as many as the threads and memory allow for
/// the most demanding run. Throws UsageError, with the number that fits, if the memory doesn't
/// suffice for `asked` runs.
Shares share_cores(Index asked, const std::vector<SweepRun>& runs, int cores,
                   const MemoryLimit& limit);

/// The step up to which the runs train.
struct TrainLimit {
  Index until = 0;  ///< step to stop at; 0: the end
  /// With `until`: returns a run's outcome at that step from an earlier call, if known.
  std::function<std::optional<TrainOutcome>(const SweepRun&)> known = {};
  /// Called when a run ends, by one thread at a time.
  std::function<void(const SweepRun&, const TrainOutcome&)> ended = {};
};

/// Makes the recorded evaluation with the lowest loss the best one, regardless of its exact match.
void find_lowest_loss(const RunFolder& folder, TrainOutcome& outcome);

/// Trains each run like `train`, with bitwise identical results for any number of parallel runs.
/// Unless `quiet`, prints a line as each run begins. Divergence counts as an outcome. The outcome
/// of a run that stops early includes an evaluation at that step. Returns nothing if StopSignals
/// requested a stop: all runs have then saved their steps, and a printed line says how many are
/// complete. Throws UsageError, before training, if a folder has a run of another configuration. If
/// a run throws, stops the others and rethrows.
std::optional<std::vector<TrainOutcome>> train_all(const std::vector<SweepRun>& runs,
                                                   const TrainLimit& train_limit,
                                                   const Shares& shares, bool quiet,
                                                   Session& session);

}  // namespace tapehead
