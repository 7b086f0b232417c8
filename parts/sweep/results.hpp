#pragma once
// The results of a sweep's runs.
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"

namespace tapehead {

/// One combination and the outcomes of its runs, one per seed. A diverged run has a non-finite loss
/// and the step at which it diverged.
struct SweepRow {
  Settings settings;
  std::vector<TrainOutcome> outcomes;
  Index stopped = 0;       ///< the step at which --halving stopped its runs; 0: none
  std::string label = {};  ///< names and tags of its runs; may be empty
};
/// Returns the outcome of a run that diverged at this step.
TrainOutcome diverged_at(Index step);
bool has_diverged(const TrainOutcome& outcome);

/// The evaluation that ranks a run: the best or the last one.
enum class By { best, last };
const char* name_of(By by);

/// A metric that ranks runs.
struct Measure {
  const char* name;  ///< validation loss
  const char* key;   ///< in --json: best_val_loss
  bool is_share;     ///< a fraction, higher is better; otherwise lower is better
  By by;

  /// Returns the value of a run; the worst possible value if it diverged.
  double of(const TrainOutcome& outcome) const;
};
/// Returns exact match if the task has completions, then validation loss.
std::vector<Measure> measures(bool has_answers, By by);

/// The mean of a few values and its 95 % confidence interval.
struct Mean {
  std::size_t count = 0;
  double mean = 0;
  /// Sample standard deviation, with divisor count - 1; NaN for one value.
  double deviation = 0;
  /// Half the width of the 95 % confidence interval, by Student's t with count - 1 degrees of
  /// freedom; NaN for one value. Assumes normally distributed values.
  double margin = 0;
};
/// Computes the mean of at least one value. All fields are NaN if a value isn't finite.
Mean mean_of(const std::vector<double>& values);

/// Returns the t for which 95 % of Student's distribution is within [-t, t]. `freedom` is the
/// degrees of freedom, at least 1.
double student_t(std::size_t freedom);

/// A metric of one combination over its seeds.
struct Spread {
  std::vector<double> values;  ///< in ascending order
  double median = 0, worst = 0;
  Mean mean;  ///< NaN if a run diverged
};
Spread spread(const SweepRow& row, const Measure& measure);

/// Formats settings as `lr 1e-3 · heads 2`.
std::string settings_text(const Settings& settings);

/// The results of a sweep.
struct Sweep {
  std::string task;
  std::uint64_t first_seed = 0;
  bool has_answers = false;
  std::vector<SweepRow> rows;
  By by = By::best;            ///< which evaluations rank the rows
  bool ranks_by_loss = false;  ///< even if the task has completions
};
/// Returns the rows, best first: by the number of steps trained, then the highest median exact
/// match, then the lowest median loss. Ties keep their order.
std::vector<Index> ranking(const Sweep& sweep);
/// Returns the best row; -1 if most of its runs diverged.
int best_row(const Sweep& sweep);
/// Returns each metric as a pair: by the evaluation that ranks, then by the other one.
std::vector<std::pair<Measure, Measure>> measure_pairs(const Sweep& sweep);
/// Reads the current names and tags of the runs in the sweep's folder.
void read_labels(Sweep& sweep, const std::string& folder);
bool has_labels(const Sweep& sweep);
/// Returns the document that `sweep --json` prints.
Json sweep_json(const Sweep& sweep, const std::string& folder);
/// Parses such a document. Throws FileError that names the path if it is malformed.
Sweep parse_sweep(const Json& document, const std::string& path);
/// Returns the path of that document in a sweep's folder; read_sweep reads it.
std::string sweep_file(const std::string& folder);
Sweep read_sweep(const std::string& folder);

}  // namespace tapehead
