#pragma once
// The results of an evaluation, for people and for programs.
#include "../../train/evaluate.hpp"
#include "../../train/files/json.hpp"
#include "terminal.hpp"

namespace tapehead {

/// An evaluation and its name: `--length 32`; empty if there is only one.
struct NamedEvaluation {
  std::string name;
  Evaluation result;
};

/// Exact match, loss and the share of right tokens at each position, one column per evaluation; the
/// positions of long answers are grouped.
std::string comparison_text(const std::vector<NamedEvaluation>& evaluations, const Task& task,
                            const Terminal& terminal);
/// Whether at least a tenth of the held-out examples repeat others, so that their number misleads.
bool many_repeat(Index different, Index examples);
/// `loss 1.9301 nats per token`: the loss per token and, of text, per byte, which compares models
/// whose tokens don't.
std::string loss_text(const Evaluation& evaluation);
/// The share of right tokens as a whole and, unless all are right, at each position.
std::string places_text(const Evaluation& evaluation, const TaskModel& model,
                        const Terminal& terminal);
/// A task's curves, a column for each line, with some rows left out if there are many. Empty if it
/// has none.
std::string curves_text(const AnswerCurves& curves, const Terminal& terminal);
/// Which tokens were most often predicted instead of which; empty if all were right.
std::string mistakes_text(const Evaluation& evaluation, const Task& task, const Terminal& terminal);
/// All results, with every position and every pair of a right and a predicted token.
Json to_json(const Evaluation& evaluation, const Task& task, Json document = {});

}  // namespace tapehead
