#pragma once
// What a model predicts for held-out examples: where its answers are wrong, or how large the loss
// of each token of a text is.
#include "../../../train/trainer.hpp"
#include "../web/page.hpp"

namespace tapehead {

/// The first 20 held-out examples that are answered wrongly; for a task with answers.
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
