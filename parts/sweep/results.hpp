#pragma once
// What the runs of a sweep reached.
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"

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

/// Which evaluation of a run counts: the best one, or the last one.
enum class By { best, last };
const char* name_of(By by);

/// A quantity by which runs are compared.
struct Measure {
  const char* name;  ///< held-out loss
  const char* key;   ///< in --json: best_val_loss
  bool is_share;     ///< from 0 to 1, higher is better; otherwise lower is better
  By by;

  /// Returns the value of a run; the worst possible one if it diverged.
  double of(const TrainOutcome& outcome) const;
};
/// Exact match, if the task has answers; held-out loss.
std::vector<Measure> measures(bool has_answers, By by);

/// The mean of a few values, and its 95 % confidence interval.
struct Mean {
  std::size_t count = 0;
  double mean = 0;
  /// The standard deviation of a sample, with count - 1 below the fraction; NaN for one value.
  double deviation = 0;
  /// Half the width of the 95 % confidence interval of the mean, by Student's t with count - 1
  /// degrees of freedom; NaN for one value. It supposes values of a normal distribution.
  double margin = 0;
};
/// Of at least one value. All are NaN where one of them isn't finite.
Mean mean_of(const std::vector<double>& values);

/// The t that 95 % of Student's distribution lie within, from -t to t, for a whole number of
/// degrees of freedom of at least 1.
double student_t(std::size_t freedom);

/// A measure of one combination, over its seeds.
struct Spread {
  std::vector<double> values;  ///< in ascending order
  double median = 0, worst = 0;
  Mean mean;  ///< NaN where a run diverged
};
Spread spread(const SweepRow& row, const Measure& measure);

/// `lr 1e-3 · heads 2`.
std::string settings_text(const Settings& settings);

/// A sweep that has ended.
struct Sweep {
  std::string task;
  std::uint64_t first_seed = 0;
  bool has_answers = false;
  std::vector<SweepRow> rows;
  By by = By::best;            ///< which evaluations rank the rows
  bool ranks_by_loss = false;  ///< even if the task has answers
};
/// The rows, the best first: those that trained longest, of them the one with the highest median
/// exact match, then the lowest median loss; equal rows keep their order.
std::vector<Index> ranking(const Sweep& sweep);
/// The first of them; -1 where most of its runs diverged.
int best_row(const Sweep& sweep);
/// Both measures of each kind: by the evaluation that counts, then by the other one.
std::vector<std::pair<Measure, Measure>> measure_pairs(const Sweep& sweep);
/// Reads what the runs in the sweep's folder are called by now.
void read_labels(Sweep& sweep, const std::string& folder);
bool has_labels(const Sweep& sweep);
/// The document that `sweep --json` prints; and what it was made of, but for what it doesn't have.
Json sweep_json(const Sweep& sweep, const std::string& folder);
/// Throws FileError that names the path where it is no such document.
Sweep parse_sweep(const Json& document, const std::string& path);
/// The file of that document in a sweep's folder, and what it was made of.
std::string sweep_file(const std::string& folder);
Sweep read_sweep(const std::string& folder);

}  // namespace tapehead
