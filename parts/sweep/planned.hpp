#pragma once
// A planned sweep: its folder and its cost.
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "results.hpp"
#include "runs.hpp"

namespace tapehead {

/// A sweep and its runs, before training.
struct PlannedSweep {
  std::string out;
  Sweep sweep;                 ///< its rows have no outcomes yet
  std::vector<SweepRun> runs;  ///< row by row, one per seed
  Shares shares;
};

/// The options shared by all rows.
struct SweepBase {
  const TrainArguments& train;
  std::string default_out;  ///< used without --out
  Index seeds = 1, jobs = 0;
};
/// Plans training with these settings. Throws UsageError for an invalid row: a wrong setting, too
/// little memory, or the same configuration as another row.
PlannedSweep plan_sweep(const SweepBase& base, const std::vector<Settings>& rows,
                        const Session& session);

/// Locks the folder of a sweep, which is created if it doesn't exist. Throws UsageError if another
/// sweep holds the lock.
std::shared_ptr<void> lock_sweep(const std::string& folder);

/// Trains all runs to the end and fills the rows of the sweep. Returns false if interrupted.
bool train_rows(PlannedSweep& plan, bool quiet, Session& session);

/// Writes sweep.json and the sweep's page; with `reports`, first writes each run's page. Prints the
/// path of the page unless `quiet`.
void write_sweep(const PlannedSweep& plan, bool reports, bool quiet, Session& session);

// The cost of a sweep.

/// The cost of one combination.
struct Estimate {
  Settings settings;
  Index parameters = 0;
  double seconds = 0;  ///< per run; 0: too large to be timed
  double bytes = 0;
};
struct SweepEstimate {
  std::vector<Estimate> combinations;
  std::size_t runs = 0;
  Shares shares;
  double share = 1;  ///< fraction of all steps that run; below 1 with --halving
  double bytes = 0;  ///< memory of the runs that train in parallel

  double seconds() const;  ///< 0: unknown
};

/// Times a few steps of each combination, as `train --dry-run` does. `runs` has the same number of
/// runs for each element of `settings`, in order.
SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session);
std::string to_text(const SweepEstimate& estimate, const Terminal& terminal);
Json to_json(const SweepEstimate& estimate);

}  // namespace tapehead
