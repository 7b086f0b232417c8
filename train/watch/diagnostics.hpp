#pragma once
// What a line of metrics.jsonl records about a model besides loss and gradient, by module.
#include "../files/json.hpp"
#include "../model/architecture.hpp"

namespace tapehead {

/// The learned factors of each attention layer: `scores` by module and head, and `queries`, `keys`,
/// `values` where those are scaled. Null where none are learned.
Json learned_scales(Module& model);

/// How evenly each head attends, by module and head: entropy() of its weights in nats, the mean
/// over a few held-out examples. Null where the attention doesn't expose its weights.
Json attention_entropy(const TaskModel& model, const Task& task);

/// A snapshot of the weights, to be compared with the weights after an update.
class WeightSnapshot {
 public:
  explicit WeightSnapshot(Module& model);
  /// The norm of the change over the norm of the weights before it, for each trained weight tensor,
  /// not for biases and gains: about 1e-3 is usual.
  Json update_ratio() const;

 private:
  std::vector<Parameter*> weights_;
  std::vector<Tensor> before_;
};

/// Tracks the recent range of the gradient's norm, and reports a norm far above it.
class GradientNormMonitor {
 public:
  /// "gradient norm 35.2; recently it was 0.6 to 1.9"; empty for a usual norm, and in the first
  /// steps, which establish the range. The norm is then added to the range.
  std::string notice(double norm);

 private:
  // The exponentially weighted mean and variance of the norm's logarithm.
  double mean_ = 0, variance_ = 0;
  long seen_ = 0;
};

}  // namespace tapehead
