// The command `tapehead learn rule`.
#include "../command.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../text.hpp"
#include "rule.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// Returns the text that names the exercise after a rule.
std::string next_rule_step(const RuleTask& rule, const std::string& program) {
  const std::size_t after = static_cast<std::size_t>(&rule - rules().data()) + 1;
  return after < rules().size()
             ? fmt::format("next: {} learn rule {}", program, rules()[after].name)
             : fmt::format("that was the last one. Now find a wrong gradient: {} learn fault",
                           program);
}

}  // namespace

void learn_rule(const LearnArguments& a, Session& session) {
  if (a.words.size() == 1)
    return a.json ? print_json(rules_json())
                  : put("{}", rules_text(session.program, session.terminal.width));
  const RuleTask& rule = find_rule(a.words[1]);
  const std::uint64_t student = checked_number("--student", a.student);
  const std::string formula =
      fmt::format("{}", fmt::join(a.words.begin() + 2, a.words.end(), "; "));
  AnswerReport answered{fmt::format("{}, student {}", rule.title, student),
                        "gradient",
                        "for a hint, add --hint",
                        next_rule_step(rule, session.program),
                        {{"rule", rule.name}, {"student", student}},
                        {"rule", rule.name, student, formula.empty() ? Json() : Json(formula)}};
  answered.record.solution = a.solution;
  if (a.solution) answered.head["solution"] = rule.solution;
  if (formula.empty() && !a.hint && !a.solution)
    return a.json ? print_json(task_json(rule, student))
                  : put("{}", task_text(rule, student, session.program, session.terminal.width));
  CheckedWork work;
  if (formula.empty())
    for (const std::string& gradient : rule.wanted())
      work.parts.push_back({gradient, "not done", "", "", "", ""});
  else
    work = check_rule(rule, student, formula);
  work.hints = hints_in(a.record, "rule", rule.name, student);
  if (a.hint) work.hint = next_hint(work, rule.name, rule.hints, work.hints);
  if (a.solution && !a.json) put("{}", solution_text(rule));
  show(a, session, std::move(answered), std::move(work));
  if (formula.empty()) session.status = 0;
}

}  // namespace tapehead
