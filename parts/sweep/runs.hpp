#pragma once
// Trains the runs of a sweep, several at a time.
#include "../../cli/commands/commands.hpp"
#include "../../train/plan.hpp"
#include "results.hpp"

namespace tapehead {

/// The resources that a run needs according to its plan.
struct RunNeed {
  int threads = 1;
  double bytes = 0;
};

/// A run of a sweep.
struct SweepRun {
  TrainConfig config;  ///< with the run's folder as `out`
  std::string name;    ///< name of its folder within the sweep's folder
  RunNeed need;
};

/// How many runs train in parallel, and the maximum number of threads for each.
struct Shares {
  int jobs = 1, threads = 1;
};
/// Returns `asked` parallel runs; for 0, as many as the cores and the memory allow, if all need as
/// much as the most demanding run. Throws UsageError, with the number that fits, if the memory is
/// too small for `asked` runs.
Shares share_cores(Index asked, const std::vector<SweepRun>& runs, int cores,
                   const MemoryLimit& limit);

/// Throws UsageError if the run's folder has a run with another configuration or other data.
void check_run_folder(const TrainConfig& config, const Session& session);

/// How far to train runs.
struct TrainLimit {
  Index until = 0;  ///< step at which to stop; 0: the end
  /// With `until`: returns a run's outcome at that step if an earlier call stored it.
  std::function<std::optional<TrainOutcome>(const SweepRun&)> known = {};
  /// Called when a run ends, by one thread at a time.
  std::function<void(const SweepRun&, const TrainOutcome&)> ended = {};
};

/// Sets the best evaluation of a run to the recorded one with the lowest loss, whatever its exact
/// match.
void find_lowest_loss(const RunFolder& folder, TrainOutcome& outcome);

/// Trains each run as `train` would; results are bitwise identical for any number of parallel runs.
/// Unless `quiet`, prints a line when a run begins, with the time left once some runs are complete.
/// A divergence is an outcome, too. The outcome of
/// a run that stops at `until` includes an evaluation at that step. Returns nothing if StopSignals
/// asked to stop; all runs are then saved, and a message says how many are complete. Throws
/// UsageError before training if a folder has a run with another configuration. If a run throws,
/// stops the others and rethrows.
std::optional<std::vector<TrainOutcome>> train_all(const std::vector<SweepRun>& runs,
                                                   const TrainLimit& train_limit,
                                                   const Shares& shares, bool quiet,
                                                   Session& session);

}  // namespace tapehead
