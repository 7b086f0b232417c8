#pragma once
// The numbers in a run's metrics.jsonl, as curves over its steps.
#include "../../../train/evaluate.hpp"
#include "../../../train/files/json.hpp"
#include "../../../train/runs/run_folder.hpp"

#include <functional>
#include <map>

namespace tapehead {

class Registry;
struct TrainConfig;

/// One quantity over the steps: a line of a chart.
struct Curve {
  std::string key;    ///< its path in the lines: loss, time.tokens_per_second
  std::string chart;  ///< the chart it belongs to
  std::string unit;   ///< of the chart's values; may be empty
  std::string name;   ///< among the chart's curves; empty if it is the only one
  std::vector<Index> steps;
  std::vector<double> values;  ///< finite
};

struct Metrics {
  std::vector<Curve> curves;  ///< loss, exact match, learning rate, gradient norm, speed, then all
                              ///< else in the order of its first occurrence
  Index reports = 0;          ///< lines
  Index steps = 0;            ///< of the last line
  std::string digest;         ///< of the last weights that have one; may be empty
  double seconds = 0;         ///< of training, summed over all its resumptions
  bool evaluated = false, has_answers = false;
  Index last_step = -1, best_step = -1;   ///< of the evaluations
  Evaluation last, best;                  ///< loss and exact match
  Index evaluated_at = -1;                ///< the step of the last evaluation, finite or not
  bool is_finite = true;                  ///< its loss
  Index skipped = 0, first_skipped = -1;  ///< steps without an update, and the first of them
  std::string why_skipped;                ///< that one
  double seconds_per_step = 0;            ///< lately; 0: unknown
  Json answer;     ///< the last evaluation's curves along the answer, as its line has them
  Json last_line;  ///< as it is recorded
  std::vector<Json> histograms;  ///< the lines that have some

  /// The curve of a key, or null.
  const Curve* find(const std::string& key) const;
};

/// Every number in the lines becomes a curve, also in objects and arrays, so that what a later
/// version writes is shown too. `temperatures`: the learned scale of scores is shown as its
/// inverse. Throws FileError naming the line that is not a JSON object with an integer "step".
Metrics read_metrics(const RunFolder& folder, bool temperatures);

/// Adds what a metric is at some steps to its curve, which is made if there is none.
void add_points(Metrics& metrics, const std::string& metric, const std::map<Index, double>& points);

/// Where plain gradient descent trained: beside the curve of sharpness that of 2 / learning rate,
/// above which it doesn't settle. Left out are steps at which that is more than twice as high as
/// sharpness ever was.
void add_stability_limit(Metrics& metrics, const TrainConfig& config);

/// At most about `most` points: the first, the last, and the smallest and largest value of each of
/// many stretches of equal length.
Curve downsample(const Curve& curve, std::size_t most);

// ---- a metric that is measured after training

/// What a report measures besides.
struct AtCheckpoints {
  const ModelMetric* metric = nullptr;  ///< null: nothing
  std::function<void(double fraction)> on_progress = {};
};

/// Adds what the metric is at the checkpoints that the run keeps, where training didn't measure it.
/// Throws FileError if what it is measured on is gone.
void add_at_checkpoints(Metrics& metrics, const std::string& path, const Registry& registry,
                        const AtCheckpoints& asked, const std::string& data = "");

// ---- runs that differ in their seed alone, as one curve with a band

/// A quantity over the steps that all of some runs have reported.
struct Band {
  std::string key, chart, unit, name;  ///< as a Curve's
  std::vector<Index> steps;
  std::vector<double> mean, low, high;  ///< over the runs: their mean, the least and the largest
};

/// Of the loss, the held-out loss and the exact match, those that all runs have.
std::vector<Band> bands(const std::vector<Metrics>& runs);

}  // namespace tapehead
