#pragma once
// The results of a sweep's runs.
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"
#include "../../train/watch/statistics.hpp"
#include "length_curve.hpp"

namespace tapehead {

/// One combination of settings, and the outcomes of its runs, one per seed. A diverged run's
/// outcome has a non-finite loss and the step of the divergence.
struct SweepRow {
  Settings settings;
  std::vector<TrainOutcome> outcomes;
  Index stopped = 0;           ///< step at which --halving stopped the row's runs; 0: not stopped
  std::string label = {};      ///< names and tags of the row's runs; may be empty
  LengthCurve by_length = {};  ///< see length_curve_of; may be empty
};
/// Returns the outcome of a run that diverged at this step.
TrainOutcome diverged_at(Index step);
bool has_diverged(const TrainOutcome& outcome);

/// The evaluation of a run that ranks it: the best or the last one.
enum class By { best, last };
const char* name_of(By by);

/// A metric that ranks runs.
struct Measure {
  const char* name;  ///< name for people, such as `validation loss`
  const char* key;   ///< name in --json, such as `best_val_loss`
  bool is_share;     ///< whether values are fractions, and higher is better
  By by;

  /// Returns the metric's value for a run; the worst possible value if the run diverged.
  double of(const TrainOutcome& outcome) const;
};
/// Returns exact match, if the task has answers, then validation loss.
std::vector<Measure> measures(bool has_answers, By by);

/// A metric's values for one combination, one per seed.
struct Spread {
  std::vector<double> values;  ///< in ascending order
  double median = 0, worst = 0;
  Mean mean;  ///< NaN if any run diverged
};
Spread spread(const SweepRow& row, const Measure& measure);

/// Formats settings as in `lr 1e-3 · heads 2`.
std::string settings_text(const Settings& settings);

/// The results of a sweep.
struct Sweep {
  std::string task;
  std::uint64_t first_seed = 0;
  bool has_answers = false;
  std::vector<SweepRow> rows;
  By by = By::best;            ///< which evaluation of each run ranks it
  bool ranks_by_loss = false;  ///< whether the loss ranks runs even if the task has answers
};
/// Returns the numbers of the rows, best first. Criteria are the number of trained steps, then the
/// median exact match, then the median loss. Ties keep the order of the rows.
std::vector<Index> ranking(const Sweep& sweep);
/// Returns the number of the best row; -1 if most of that row's runs diverged.
int best_row(const Sweep& sweep);
/// Returns each metric twice: for the evaluations that rank runs, and for the others.
std::vector<std::pair<Measure, Measure>> measure_pairs(const Sweep& sweep);
/// Returns the mean curve by length of a row's runs, with parameters as in length_curve. Returns an
/// empty curve if a run diverged, or if length_curve does. Throws UsageError, which begins with
/// `option`, if the runs can't have these lengths.
LengthCurve length_curve_of(const SweepRow& row, const Sweep& sweep, const std::string& folder,
                            const std::string& lengths, const Registry& registry,
                            const std::string& option = "--lengths");
/// Returns the lengths of all rows' curves by length, in ascending order.
std::vector<double> lengths_of(const Sweep& sweep);
/// Sets the rows' labels to the current names and tags of the runs in the sweep's folder.
void read_labels(Sweep& sweep, const std::string& folder);
bool has_labels(const Sweep& sweep);
/// Returns the JSON document that `sweep --json` prints.
Json sweep_json(const Sweep& sweep, const std::string& folder);
/// Parses the document of sweep_json. Throws FileError with the path if it is malformed.
Sweep parse_sweep(const Json& document, const std::string& path);
/// Returns the path of the JSON document in a sweep's folder, which read_sweep parses.
std::string sweep_file(const std::string& folder);
Sweep read_sweep(const std::string& folder);

}  // namespace tapehead
