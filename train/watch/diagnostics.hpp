#pragma once
// What a line of metrics.jsonl tells of a model besides loss and gradient: by module.
#include "../model/architecture.hpp"

#include <nlohmann/json.hpp>

namespace tapehead {

/// What each attention multiplies its scores by, as it has learned: `scores` by module and head,
/// and `queries`, `keys`, `values` where those are scaled. Null where nothing of it is learned.
nlohmann::ordered_json learned_scales(Module& model);

/// How evenly each head looks around, by module and head: entropy() of its weights, in nats, the
/// mean over a few held-out examples. Null where the attention doesn't show its weights.
nlohmann::ordered_json attention_entropy(const TaskModel& model, const Task& task);

/// The weights as they are now, to be compared with what an update makes of them.
class WeightsBefore {
 public:
  explicit WeightsBefore(Module& model);
  /// The length of the change over the length of what was changed, for each trained tensor of
  /// weights, without biases and gains: about 1e-3 is usual.
  nlohmann::ordered_json update_ratio() const;

 private:
  std::vector<Parameter*> weights_;
  std::vector<Tensor> before_;
};

}  // namespace tapehead
