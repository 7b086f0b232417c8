#pragma once
// The numbers in a run's metrics.jsonl as curves over steps.
#include "../../../train/evaluate.hpp"
#include "../../../train/files/json.hpp"
#include "../../../train/runs/run_folder.hpp"

#include <functional>
#include <map>

namespace tapehead {

class Registry;
struct TrainConfig;

/// A quantity over steps: a line of a chart.
struct Curve {
  std::string key;    ///< JSON path in a line: loss, time.tokens_per_second
  std::string chart;  ///< title of the chart that shows the curve
  std::string unit;   ///< unit of the chart; may be empty
  std::string name;   ///< name in the chart; empty if the chart has one curve
  std::vector<Index> steps;
  std::vector<double> values;  ///< finite values, one for each step
};

/// The metrics of a run.
struct Metrics {
  std::vector<Curve> curves;  ///< in the order of the charts: loss, exact match, learning rate, ...
  Index reports = 0;          ///< number of lines in metrics.jsonl
  Index steps = 0;            ///< step of the last line
  std::string digest;         ///< last recorded weight hash; may be empty
  double seconds = 0;         ///< training time, including all resumptions
  bool evaluated = false, has_answers = false;
  Index last_step = -1, best_step = -1;   ///< steps of the last and the best evaluation
  Evaluation last, best;                  ///< results of these evaluations
  Index evaluated_at = -1;                ///< step of the last evaluation, even if not finite
  bool is_finite = true;                  ///< whether that evaluation's loss is finite
  Index skipped = 0, first_skipped = -1;  ///< number of skipped steps; the first one
  std::string why_skipped;                ///< why the first skipped step had no update
  double seconds_per_step = 0;            ///< mean since the last resumption; 0 if unknown
  Json answer;                   ///< "curves" of the last evaluation: metrics by answer position
  Json last_line;                ///< the last line
  std::vector<Json> histograms;  ///< lines with histograms

  /// Returns the curve of a key, or null.
  const Curve* find(const std::string& key) const;
};

/// Reads a curve for every number in the lines, also within objects and arrays, so it supports
/// metrics of later versions. `temperatures`: inverts learned attention scales. Throws FileError,
/// which names the line, if a line isn't a JSON object with an integer "step".
Metrics read_metrics(const RunFolder& folder, bool temperatures);

/// Adds points, values by step, to the curve of a metric, which is created if needed.
void add_points(Metrics& metrics, const std::string& metric, const std::map<Index, double>& points);

/// For a run of plain gradient descent, adds the curve 2 / learning rate to the sharpness chart:
/// training is unstable if the sharpness is larger. Omits points that are more than twice the
/// largest sharpness.
void add_stability_limit(Metrics& metrics, const TrainConfig& config);

/// Reduces a curve to about `most` points: the first, the last, and the minimum and maximum in each
/// interval of steps.
Curve downsample(const Curve& curve, std::size_t most);

// ---- a metric that is measured after training

/// A metric to measure at a run's checkpoints.
struct AtCheckpoints {
  const ModelMetric* metric = nullptr;  ///< null: measure nothing
  std::string name = {};                ///< one of its names
  std::function<void(double fraction)> on_progress = {};
};

/// Measures the metric at the checkpoints at which training didn't record it. Throws FileError if
/// the run's data file is missing.
void add_at_checkpoints(Metrics& metrics, const std::string& path, const Registry& registry,
                        const AtCheckpoints& asked, const std::string& data = "");

// ---- runs that differ only in their seed, combined into one curve with a band

/// The values of one quantity in several runs, at the steps that all of them recorded.
struct Band {
  std::string key, chart, unit, name;  ///< as in Curve
  std::vector<Index> steps;
  std::vector<double> mean, low, high;  ///< mean, minimum and maximum of the runs
};

/// Returns bands for the loss, the validation loss and the exact match, if all runs recorded them.
std::vector<Band> bands(const std::vector<Metrics>& runs);

}  // namespace tapehead
