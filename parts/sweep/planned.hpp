#pragma once
// A sweep before its first run, and its folder.
#include "../../cli/options/train_arguments.hpp"
#include "results.hpp"
#include "runs.hpp"

namespace tapehead {

struct PlannedSweep {
  std::string out;
  Sweep sweep;                 ///< its rows have no outcomes yet
  std::vector<SweepRun> runs;  ///< of each row in turn, one per seed
  Shares shares;
};

/// The options that all rows share.
struct SweepBase {
  const TrainArguments& train;
  std::string default_out;  ///< without --out
  Index seeds = 1, jobs = 0;
};
/// Plans the training of these settings. Throws UsageError for whatever is invalid in one of them:
/// a setting, the memory it needs, two rows that are one configuration.
PlannedSweep plan_sweep(const SweepBase& base, const std::vector<Settings>& rows,
                        const Session& session);

/// Locks the folder of a sweep, which is created if it doesn't exist. Throws UsageError if another
/// sweep holds the lock.
std::shared_ptr<void> lock_sweep(const std::string& folder);

/// Trains all runs to their ends and fills the rows. Returns false if it was interrupted.
bool train_rows(PlannedSweep& plan, bool quiet, Session& session);

/// Writes sweep.json and the page; before it, with `reports`, the page of each run. Prints the
/// path of the page unless `quiet`.
void write_sweep(const PlannedSweep& plan, bool reports, bool quiet, Session& session);

}  // namespace tapehead
