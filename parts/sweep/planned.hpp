#pragma once
// A sweep before its first run: its folder, and its cost.
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/terminal.hpp"
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

// The cost of a sweep.

/// Of one combination.
struct Estimate {
  Settings settings;
  Index parameters = 0;
  double seconds = 0;  ///< of one run; 0: too large to be timed
  double bytes = 0;
};
struct SweepEstimate {
  std::vector<Estimate> combinations;
  std::size_t runs = 0;
  Shares shares;
  double share = 1;  ///< of all steps that are taken: less than 1 with --halving
  double bytes = 0;  ///< of the runs that train at once

  double seconds() const;  ///< 0: not known
};

/// Measures a few steps of each combination, as `train --dry-run` does; `runs` has `seeds` runs of
/// each of `rows` in turn.
SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session);
std::string to_text(const SweepEstimate& estimate, const Terminal& terminal);
Json to_json(const SweepEstimate& estimate);

}  // namespace tapehead
