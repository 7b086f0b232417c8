#pragma once
#include "model/architecture.hpp"

#include <functional>
#include <map>

namespace tapehead {

/// How well a model does on the held-out examples.
struct Evaluation {
  double loss = 0;         ///< mean over all targets that count, in nats
  double exact_match = 0;  ///< share of answers wholly right by greedy decoding; tasks with answers
  Index examples = 0;

  // What the model finds likeliest at each target, of the same pass as the loss: it is told the
  // right symbols before (an encoder says all at once, and is told nothing).
  struct Place {
    Index asked = 0, right = 0;
    double accuracy() const { return static_cast<double>(right) / static_cast<double>(asked); }
  };
  std::vector<Place> places;                   ///< the answer's, from its first
  std::map<std::pair<int, int>, Index> heard;  ///< how often, by the right symbol and what was said

  Place all_places() const;  ///< their sum
};
/// At most `examples` of them. On all threads; the result doesn't depend on their number. `told`
/// hears what share is done, never from two threads at once.
Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode = true,
                    const std::function<void(double share)>& told = {});

/// So many held-out examples are evaluated in one batch.
Index evaluated_at_once(const Task& task);
/// The likeliest symbol of each row of logits, (rows, symbols).
std::vector<int> likeliest(const Tensor& logits);

}  // namespace tapehead
