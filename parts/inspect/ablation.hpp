#pragma once
// What a model is worth without some of its parts.
#include "sites.hpp"

#include <functional>

namespace tapehead {

/// What takes the place of a part's output: zeros, or its mean over the examples at each position.
enum class AblateBy { zero, mean };

/// Sites whose outputs are taken away together, at one position or, where that is -1, at all.
struct Ablation {
  std::vector<const Site*> sites;
  Index position = -1;
};
/// How a model does on held-out examples.
struct AblationLoss {
  double loss = 0;         ///< mean over all targets, in nats
  double exact_match = 0;  ///< the fraction of answers that are right in every token
  double difference_error =
      0;  ///< standard error of the loss's difference from that of the whole model
};
struct Ablations {
  Index examples = 0;
  AblationLoss whole;                 ///< of the model as it is
  std::vector<AblationLoss> without;  ///< one for each ablation
};

/// Measures a model with each ablation on at most `examples` held-out examples, on all threads; the
/// result doesn't depend on their number. Each target is predicted after the right tokens before
/// it, and an answer is right if all of its tokens are: as with greedy decoding, which reads the
/// same until its first mistake. Exact match is of tasks with answers. `on_progress` as in
/// `evaluate`.
Ablations ablate(const TaskModel& model, const Task& task, const std::vector<Ablation>& ablations,
                 AblateBy by, Index examples,
                 const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
