#pragma once
// What a line of metrics.jsonl records about a model besides loss and gradient, by module.
#include "../model/architecture.hpp"
#include "../runs/json.hpp"

namespace tapehead {

/// The learned factors of each attention layer: `scores` by module and head, and `queries`, `keys`,
/// `values` where those are scaled. Null where none are learned.
Json learned_scales(Module& model);

/// How evenly each head attends, by module and head: entropy() of its weights in nats, the mean
/// over a few held-out examples. Null where the attention doesn't expose its weights.
Json attention_entropy(const TaskModel& model, const Task& task);

/// A snapshot of the weights, to be compared with the weights after an update.
class WeightsBefore {
 public:
  explicit WeightsBefore(Module& model);
  /// The norm of the change over the norm of the weights before it, for each trained weight tensor,
  /// not for biases and gains: about 1e-3 is usual.
  Json update_ratio() const;

 private:
  std::vector<Parameter*> weights_;
  std::vector<Tensor> before_;
};

}  // namespace tapehead
