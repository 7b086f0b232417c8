#pragma once
// The results of an evaluation as text and JSON.
#include "../../train/evaluate.hpp"
#include "../../train/files/json.hpp"
#include "terminal.hpp"

namespace tapehead {

/// An evaluation and its name, such as `--length 32`; empty if there is only one.
struct NamedEvaluation {
  std::string name;
  Evaluation result;
};

/// Formats exact match, loss and token accuracy by position, one column per evaluation. Positions
/// of long answers are grouped.
std::string comparison_text(const std::vector<NamedEvaluation>& evaluations, const Task& task,
                            const Terminal& terminal);
/// Returns whether at least a tenth of the validation examples are repetitions.
bool has_many_repetitions(Index different, Index examples);
/// Returns `loss 1.9301 nats per token`. For text it includes bits per byte, which are comparable
/// between tokenizers.
std::string loss_text(const Evaluation& evaluation);
/// Formats the token accuracy and, unless it is 100 %, the accuracy by position.
std::string places_text(const Evaluation& evaluation, const TaskModel& model,
                        const Terminal& terminal);
/// Formats exact match and token accuracy by source length, and by target length if it varies. Many
/// lengths are grouped.
std::string by_length_text(const Evaluation& evaluation, const Task& task,
                           const Terminal& terminal);
/// Returns the same as {source: [{length, examples, exact_match, tokens_right}], target: [...]},
/// with every length.
Json by_length_json(const Evaluation& evaluation, const Task& task);
/// Formats a task's curves, a column per line, with rows omitted if there are many. Empty without
/// curves.
std::string curves_text(const AnswerCurves& curves, const Terminal& terminal);
/// Formats the most frequent confusions of tokens; empty if all were right.
std::string mistakes_text(const Evaluation& evaluation, const Task& task, const Terminal& terminal);
/// Returns all results, with every position and every pair of target and predicted token.
Json to_json(const Evaluation& evaluation, const Task& task, Json document = {});

}  // namespace tapehead
