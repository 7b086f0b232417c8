#pragma once
// What an evaluation found, for people and for programs.
#include "../../train/evaluate.hpp"
#include "terminal.hpp"

#include <nlohmann/json.hpp>

namespace tapehead {

/// An evaluation and what to call it: `--length 32`; nothing where there is but one.
struct NamedEvaluation {
  std::string name;
  Evaluation result;
};

/// Exact match, loss and the share of right symbols at each place, a column for each evaluation;
/// of long answers, places are taken together.
std::string comparison_text(const std::vector<NamedEvaluation>& evaluations, const Task& task,
                            const Terminal& terminal);
/// The share of right symbols, all in all and, unless all are right, at each place.
std::string places_text(const Evaluation& evaluation, const TaskModel& model,
                        const Terminal& terminal);
/// What was most often said instead of what; nothing where all was right.
std::string mistakes_text(const Evaluation& evaluation, const Task& task, const Terminal& terminal);
/// All of it: every place, every pair of a right symbol and what was said.
nlohmann::ordered_json to_json(const Evaluation& evaluation, const Task& task);

}  // namespace tapehead
