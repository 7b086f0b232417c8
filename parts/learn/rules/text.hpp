#pragma once
// What `tapehead learn rule` prints, but for what came of an answer.
#include "../../../train/runs/json.hpp"
#include "rule.hpp"

namespace tapehead {

std::string rules_text(const std::string& program, int width);
Json rules_json();
/// The task, with the numbers of a student.
std::string task_text(const RuleTask& rule, std::uint64_t student, const std::string& program,
                      int width);
Json task_json(const RuleTask& rule, std::uint64_t student);
/// The right formula.
std::string solution_text(const RuleTask& rule);

}  // namespace tapehead
