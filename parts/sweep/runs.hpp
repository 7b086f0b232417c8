#pragma once
// The runs of a sweep, several of them at once over the cores.
#include "../../cli/commands/commands.hpp"
#include "../../train/plan.hpp"
#include "results.hpp"

namespace tapehead {

/// What a run uses, as its plan says.
struct RunNeed {
  int threads = 1;
  double bytes = 0;
};

/// One of the runs.
struct SweepRun {
  TrainConfig config;  ///< with its folder in `out`
  std::string name;    ///< of the folder, in that of the sweep
  RunNeed need;
};

/// How many runs train at once, and on how many threads each at most.
struct Shares {
  int jobs = 1, threads = 1;
};
/// `asked` runs at once; or for 0, as many as find the threads and the memory that the neediest of
/// them uses. Throws UsageError, with the number that fits, where the memory doesn't suffice for
/// those asked for.
Shares share_cores(Index asked, const std::vector<SweepRun>& runs, int cores,
                   const MemoryLimit& limit);

/// How far runs train.
struct TrainLimit {
  Index until = 0;  ///< 0: to their end
  /// With `until`: what is known of a run there, from an earlier call.
  std::function<std::optional<TrainOutcome>(const SweepRun&)> known = {};
  std::function<void(const SweepRun&, const TrainOutcome&)> ended =
      {};  ///< by one thread at a time
};

/// Makes the recorded evaluation with the lowest loss the best one, whatever its exact match.
void find_lowest_loss(const RunFolder& folder, TrainOutcome& outcome);

/// Trains them, each as `train` would, so that the bits are those of one after the other; unless
/// `quiet`, lines say which one begins. A run that diverges is an outcome. The outcome of one that
/// ends early has the evaluation of its weights there. Empty, where StopSignals came: all have then
/// saved their steps, and a line says how many are complete. Throws UsageError before the first one
/// if a folder has a run of another configuration. What one of them throws stops the others, and is
/// thrown.
std::optional<std::vector<TrainOutcome>> train_all(const std::vector<SweepRun>& runs,
                                                   const TrainLimit& train_limit,
                                                   const Shares& shares, bool quiet,
                                                   Session& session);

}  // namespace tapehead
