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
  std::string chart;  ///< the chart it belongs to
  std::string unit;   ///< unit of the chart; may be empty
  std::string name;   ///< name within the chart; empty for a single curve
  std::vector<Index> steps;
  std::vector<double> values;  ///< finite
};

/// The metrics of a run.
struct Metrics {
  std::vector<Curve> curves;  ///< loss, exact match, learning rate, gradient norm, speed, then all
                              ///< others in the order of their first occurrence
  Index reports = 0;          ///< number of lines
  Index steps = 0;            ///< step of the last line
  std::string digest;         ///< last recorded weight hash; may be empty
  double seconds = 0;         ///< training time, summed over all resumptions
  bool evaluated = false, has_answers = false;
  Index last_step = -1, best_step = -1;   ///< step of the last and the best evaluation
  Evaluation last, best;                  ///< loss and exact match
  Index evaluated_at = -1;                ///< step of the last evaluation, finite or not
  bool is_finite = true;                  ///< whether its loss is finite
  Index skipped = 0, first_skipped = -1;  ///< number of steps without an update, and the first
  std::string why_skipped;                ///< reason for the first one
  double seconds_per_step = 0;            ///< of recent steps; 0 if unknown
  Json answer;     ///< "curves" of the last evaluation: lines over positions in the completion
  Json last_line;  ///< the last line as recorded
  std::vector<Json> histograms;  ///< lines with histograms

  /// Returns the curve of a key, or null.
  const Curve* find(const std::string& key) const;
};

/// Reads a curve for every number in the lines, also within objects and arrays, so that metrics of
/// later versions are shown. With `temperatures`, shows a learned scale of attention scores as its
/// inverse, the temperature. Throws a FileError that names the first line that isn't a JSON object
/// with an integer "step".
Metrics read_metrics(const RunFolder& folder, bool temperatures);

/// Adds values of a metric at some steps to its curve, creating the curve if needed.
void add_points(Metrics& metrics, const std::string& metric, const std::map<Index, double>& points);

/// For runs of plain gradient descent (SGD without momentum), adds the curve 2 / learning rate to
/// the chart of sharpness. Training is unstable where sharpness exceeds it. Omits steps at which it
/// is more than twice the largest sharpness.
void add_stability_limit(Metrics& metrics, const TrainConfig& config);

/// Reduces a curve to about `most` points: the first, the last, and the minimum and maximum of each
/// of many intervals of equal length.
Curve downsample(const Curve& curve, std::size_t most);

// ---- a metric that is measured after training

/// A metric to measure at checkpoints.
struct AtCheckpoints {
  const ModelMetric* metric = nullptr;  ///< null: measure nothing
  std::function<void(double fraction)> on_progress = {};
};

/// Measures the metric at the run's checkpoints for which training didn't record it. Throws
/// FileError if its data is gone.
void add_at_checkpoints(Metrics& metrics, const std::string& path, const Registry& registry,
                        const AtCheckpoints& asked, const std::string& data = "");

// ---- runs that differ only in their seed, as one curve with a band

/// A quantity over the steps that all of several runs reported.
struct Band {
  std::string key, chart, unit, name;  ///< as in Curve
  std::vector<Index> steps;
  std::vector<double> mean, low, high;  ///< mean, minimum and maximum over the runs
};

/// Returns the bands of the loss, the validation loss and the exact match that all runs have.
std::vector<Band> bands(const std::vector<Metrics>& runs);

}  // namespace tapehead
