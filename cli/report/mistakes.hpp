#pragma once
// What a model says to held-out examples: where it goes wrong, or how much each symbol of a text
// surprises it.
#include "../../train/trainer.hpp"
#include "json.hpp"

namespace tapehead {

/// Answers to the examples' questions, the likeliest symbol each time.
std::vector<std::vector<int>> answers(const TaskModel& model, const Task& task,
                                      const std::vector<Example>& examples);

/// Held-out examples that are answered wrongly, the first 20 of them: of a task with answers.
///   examined, right: how many were looked at until then, at most 1,000, and how many were right
///   wrong: [{number, question, said, wanted}], in symbols
ReportJson mistakes_json(const TaskModel& model, const Task& task);

/// A few held-out examples of a text, from all over it:
///   [{number, given, symbols, loss, said}], with the loss of each symbol in nats, and the symbol
/// that was likelier, where there was one; both begin behind the `given` ones.
ReportJson samples_json(const TaskModel& model, const Task& task);

}  // namespace tapehead
