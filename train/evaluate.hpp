#pragma once
#include "model/architecture.hpp"

#include <functional>
#include <map>

namespace tapehead {

/// How well a model does on the held-out examples.
struct Evaluation {
  double loss = 0;  ///< mean over all targets that count, in nats
  double exact_match =
      0;  ///< fraction of answers wholly right by greedy decoding; tasks with answers
  Index examples = 0;

  // The likeliest token at each target, in the same pass as the loss: with teacher forcing, that
  // is, after the right tokens before it (an encoder predicts all at once).
  struct Count {
    Index targets = 0, right = 0;
    double accuracy() const { return static_cast<double>(right) / static_cast<double>(targets); }
  };
  std::vector<Count> positions;                     ///< of the answer, from its first
  std::map<std::pair<int, int>, Index> confusions;  ///< number by (right token, predicted token)

  Count all_positions() const;  ///< their sum
};
/// At most `examples` of them. On all threads; the result doesn't depend on their number. `told`
/// hears what fraction is done, never from two threads at once.
Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode = true,
                    const std::function<void(double fraction)>& told = {});

/// Number of held-out examples that are evaluated in one batch.
Index evaluated_at_once(const Task& task);
/// The likeliest token of each row of logits, (rows, vocabulary).
std::vector<int> likeliest(const Tensor& logits);

}  // namespace tapehead
