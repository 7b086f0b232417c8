#pragma once
// Per-module diagnostics in metrics.jsonl, in addition to loss and gradient norm.
#include "../files/json.hpp"
#include "../model/architecture.hpp"

namespace tapehead {

/// Returns the learned scale factors of each attention layer: `scores` by module and head, and
/// `queries`, `keys`, `values` if those are scaled. Null if none are learned.
Json learned_scales(Module& model);

/// Returns the attention entropy in nats by module and head: the mean over a few validation
/// examples. Null if the attention doesn't expose its weights.
Json attention_entropy(const TaskModel& model, const Task& task);

/// A snapshot of the weights, to compare with the weights after an update.
class WeightSnapshot {
 public:
  explicit WeightSnapshot(Module& model);
  /// Returns norm(change) / norm(weights before) for each trained weight matrix, without biases and
  /// gains. Values near 1e-3 are usual.
  Json update_ratio() const;

 private:
  std::vector<Parameter*> weights_;
  std::vector<Tensor> before_;
};

/// A detector of outliers among recent gradient norms.
class GradientNormMonitor {
 public:
  /// Adds a norm to the range. Returns a warning if it is far above the range: "gradient norm 35.2;
  /// recently it was 0.6 to 1.9". The first steps only establish the range.
  std::string notice(double norm);

 private:
  // exponentially weighted mean and variance of log(norm)
  double mean_ = 0, variance_ = 0;
  long seen_ = 0;
};

}  // namespace tapehead
