#pragma once
// What a model predicts for held-out examples: where its answers are wrong, or how large the loss
// of each token of a text is.
#include "../../train/trainer.hpp"
#include "../web/page.hpp"

namespace tapehead {

/// Held-out examples that are answered wrongly, and how many were looked at to find them.
struct Mistakes {
  struct Mistake {
    Index number;
    std::vector<int> question, predicted, right;
  };
  std::vector<Mistake> wrong;
  Index examined = 0;
};
/// The first `most` of them, of at most 1,000 examples.
Mistakes find_mistakes(const TaskModel& model, const Task& task, Index most);

/// The first 20 of them; for a task with answers.
///   examined, right: how many were looked at until then, at most 1,000, and how many were right
///   of: how many there are
///   wrong: [{number, question, predicted, right}], in tokens; or `image` for a question that is
///   one
Json mistakes_json(const TaskModel& model, const Task& task);

/// A few held-out examples of a text, from all over it:
///   [{number, given, tokens, loss, likelier}], with the loss of each token in nats, and the token
/// that was likelier, if there was one; both begin after the `given` tokens.
Json samples_json(const TaskModel& model, const Task& task);

}  // namespace tapehead
