#pragma once
// Ablation: measures a model without some of its heads, layers or blocks.
#include "sites.hpp"

#include <functional>

namespace tapehead {

/// The values that replace an ablated output: zeros, or the output's mean over the examples at each
/// position.
enum class AblateBy { zero, mean };

/// Sites to ablate together, at one position or, if it is -1, at all positions.
struct Ablation {
  std::vector<const Site*> sites;
  Index position = -1;
};
/// The performance of a model, ablated or not, on validation examples.
struct AblationLoss {
  double loss = 0;              ///< mean over all targets, in nats
  double exact_match = 0;       ///< fraction of completions with all tokens correct
  double difference_error = 0;  ///< standard error of the increase in loss over the unablated model
};
/// The results of all ablations.
struct Ablations {
  Index examples = 0;
  AblationLoss whole;                 ///< the unablated model
  std::vector<AblationLoss> without;  ///< one per ablation
};

/// Measures a model under each ablation on at most `examples` validation examples. Uses all
/// threads; the result doesn't depend on their number. Predictions use teacher forcing. A
/// completion is correct if all its tokens are the most likely ones. exact_match is meaningful only
/// for tasks with completions. Calls `on_progress` with the fraction done.
Ablations ablate(const TaskModel& model, const Task& task, const std::vector<Ablation>& ablations,
                 AblateBy by, Index examples,
                 const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
