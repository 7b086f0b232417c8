#include "goal.hpp"
#include "../../core/containers.hpp"
#include "../files/number.hpp"
#include "values.hpp"

#include <cmath>

namespace tapehead {

bool is_better(const Evaluation& one, const Evaluation& other, bool has_answers) {
  if (has_answers && one.exact_match != other.exact_match)
    return one.exact_match > other.exact_match;
  return one.loss < other.loss;
}

std::optional<Goal> Goal::parse(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t equals = text.find('=');
  const std::string measure = text.substr(0, equals);
  if (equals == std::string::npos || (measure != "exact-match" && measure != "loss"))
    throw UsageError("--until: expected exact-match=X or loss=X, got '{}'", text);
  Goal goal;
  goal.exact_match = measure == "exact-match";
  const char *begin = text.data() + equals + 1, *end = text.data() + text.size();
  if (read_number(begin, end, goal.value) != end)
    throw UsageError("--until {}: expected a number, got '{}'", measure, begin);
  if (goal.exact_match && !(goal.value > 0 && goal.value <= 1))
    throw UsageError("--until exact-match must be above 0 and at most 1, not {}", goal.value);
  if (!goal.exact_match) check_range("--until loss", goal.value, Range::not_negative());
  return goal;
}

bool has_evaluation(const Json& line) { return has_named(line.members(), "val_loss"); }

Evaluation evaluation_in(const Json& line) {
  Evaluation evaluation;
  evaluation.loss = line["val_loss"].number();
  if (line["exact_match"].is_number()) evaluation.exact_match = line["exact_match"].number();
  return evaluation;
}

bool ended_early(const Json& line, const std::string& until) {
  if (line["patience_left"].integer() == 0) return true;
  const std::optional<Goal> goal = Goal::parse(until);
  return goal && goal->reached(evaluation_in(line));
}

}  // namespace tapehead
