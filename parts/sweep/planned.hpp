#pragma once
// Plans a sweep, trains its runs and estimates its cost.
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "results.hpp"
#include "runs.hpp"

namespace tapehead {

/// A sweep and its runs, before training.
struct PlannedSweep {
  std::string out;
  Sweep sweep;                 ///< rows without outcomes
  std::vector<SweepRun> runs;  ///< row by row, one run per seed
  Shares shares;
};

/// The options that all rows share.
struct SweepBase {
  const TrainArguments& train;
  std::string default_out;  ///< folder to use without --out
  Index seeds = 1, jobs = 0;
};
/// Plans one row for each element of `rows`, with these settings. Throws UsageError for a wrong
/// setting, too little memory, or two rows with the same configuration.
PlannedSweep plan_sweep(const SweepBase& base, const std::vector<Settings>& rows,
                        const Session& session);

/// Creates the folder of a sweep if necessary, and locks it. Throws UsageError if another sweep has
/// locked it, or if it is a run's folder or is inside one.
std::shared_ptr<void> lock_sweep(const std::string& folder);

/// Trains all runs to the end and fills the outcomes of the rows. Returns false if interrupted.
bool train_rows(PlannedSweep& plan, bool quiet, Session& session);

/// Writes sweep.json and the sweep's page; with `reports`, also a page in each run's folder. Prints
/// the path of the sweep's page unless `quiet`.
void write_sweep(const PlannedSweep& plan, bool reports, bool quiet, Session& session);

// The cost of a sweep.

/// The estimated cost of one combination.
struct Estimate {
  Settings settings;
  Index parameters = 0;
  double seconds = 0;  ///< seconds per run; 0: too slow to time
  double bytes = 0;
};
struct SweepEstimate {
  std::vector<Estimate> combinations;
  std::size_t runs = 0;
  Shares shares;
  double share = 1;  ///< fraction of all steps that the sweep trains; below 1 with --halving
  double bytes = 0;  ///< memory of all runs that train in parallel

  double seconds() const;  ///< seconds of the whole sweep; 0: unknown
};

/// Times a few training steps of each combination, as `train --dry-run` does. `runs` holds all runs
/// of each combination in order, one per seed.
SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session);
std::string to_text(const SweepEstimate& estimate, const Terminal& terminal);
Json to_json(const SweepEstimate& estimate);

}  // namespace tapehead
