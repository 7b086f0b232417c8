#pragma once
// What the runs of a sweep reached.
#include "../../train/config/options.hpp"
#include "../../train/runs/json.hpp"
#include "../../train/trainer.hpp"
#include "mean.hpp"

namespace tapehead {

/// One combination, and the outcomes of its runs, one per seed. A run that diverged has a
/// non-finite loss, and the step at which it did.
struct SweepRow {
  Settings settings;
  std::vector<TrainOutcome> outcomes;
  Index stopped = 0;  ///< the step at which its runs were given up as worse than others; 0: none
  std::string label = {};  ///< what its runs are called, and their tags; empty: nothing
};
/// The outcome of a run that diverged at this step.
TrainOutcome diverged_at(Index step);
bool has_diverged(const TrainOutcome& outcome);

/// A quantity by which runs are compared.
struct Measure {
  const char* name;  ///< held-out loss
  const char* key;   ///< as --json has it: val_loss
  bool is_share;     ///< from 0 to 1, and the more the better; else the less the better
  double (*of)(const TrainOutcome&);  ///< as bad as can be where the run diverged
};
/// Exact match, if the task has answers; held-out loss.
std::vector<Measure> measures(bool has_answers);

/// A measure of one combination, over its seeds.
struct Spread {
  std::vector<double> values;  ///< in ascending order
  double median = 0, worst = 0;
  Mean mean;  ///< NaN where a run diverged
};
Spread spread(const SweepRow& row, const Measure& measure);

/// The rows, the best first: those that went on longest, of them the one with the highest median
/// exact match, then the lowest median loss; among equals, in their order.
std::vector<Index> ranking(const std::vector<SweepRow>& rows, bool has_answers);
/// The first of them; -1 where most of its runs diverged.
int best_row(const std::vector<SweepRow>& rows, bool has_answers);

/// `lr 1e-3 · heads 2`.
std::string in_words(const Settings& settings);

/// A sweep that has ended.
struct Sweep {
  std::string task;
  std::uint64_t first_seed = 0;
  bool has_answers = false;
  std::vector<SweepRow> rows;
};
/// Reads what the runs in the sweep's folder are called by now.
void read_labels(Sweep& sweep, const std::string& folder);
bool has_labels(const Sweep& sweep);
/// The document that `sweep --json` prints; and what it was made of, but for what it doesn't have.
Json sweep_json(const Sweep& sweep, const std::string& folder);
/// Throws FileError that names the path where it is no such document.
Sweep sweep_of(const Json& document, const std::string& path);

}  // namespace tapehead
