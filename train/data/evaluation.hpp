#pragma once
#include "task.hpp"

namespace tapehead {

/// How well a model does on the held-out examples.
struct Evaluation {
  double loss = 0;  ///< mean over all targets that count, in nats; or what the own loss says
  std::string loss_name = "loss", unit = "nats per token";
  /// The loss in bits per byte, where the targets are text; else 0.
  double bits_per_byte = 0;
  double exact_match =
      0;  ///< fraction of answers entirely right by greedy decoding; tasks with answers
  Index examples = 0;
  /// By name: those of the registry, and the losses that layers have added.
  std::map<std::string, double> metrics;
  AnswerCurves curves;  ///< the task's; means over the examples

  // The likeliest token at each target, from the same pass as the loss: with teacher forcing, so
  // each prediction follows the right tokens (an encoder predicts all at once).
  struct Count {
    Index targets = 0, right = 0;
    double share() const { return static_cast<double>(right) / static_cast<double>(targets); }
  };
  std::vector<Count> positions;                     ///< of the answer, from its first
  std::map<std::pair<int, int>, Index> confusions;  ///< number by (right token, predicted token)

  /// Their sum.
  Count all_positions() const {
    Count all;
    for (const Count& count : positions) {
      all.targets += count.targets;
      all.right += count.right;
    }
    return all;
  }
};

}  // namespace tapehead
