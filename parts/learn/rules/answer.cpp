#include "../../../core/gradients.hpp"
#include "../../../core/random.hpp"
#include "../../../core/tape.hpp"
#include "../../../train/files/strings.hpp"
#include "rule.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr int cases = 5;
constexpr double tolerance = 1e-9;

Index find_size(const Sizes& sizes, const std::string& name) {
  for (const auto& [each, size] : sizes)
    if (each == name) return size;
  throw Error("unknown size '{}'", name);
}

/// Draws a number from 0.2 to 1.5, with a random sign unless `positive`. A number that the student
/// sees has one decimal.
double draw_number(Random& random, bool shown, bool positive) {
  const double size =
      shown ? static_cast<double>(2 + random.below(14)) / 10 : 0.2 + 1.3 * random.uniform();
  return random.below(2) == 0 || positive ? size : -size;
}
Tensor draw_tensor(const Shape& shape, Random& random, bool shown, bool positive = false) {
  std::vector<double> numbers(static_cast<std::size_t>(shape.size()));
  for (double& number : numbers) number = draw_number(random, shown, positive);
  return tensor(numbers, shape, DType::f64);
}
Tensor draw_input(const RuleInput& input, const Sizes& sizes, Random& random, bool shown) {
  std::vector<Index> axes;
  for (const std::string& size : input.sizes) axes.push_back(find_size(sizes, size));
  const Shape shape(axes);
  if (input.kind != RuleInput::Kind::whole)
    return draw_tensor(shape, random, shown, input.kind == RuleInput::Kind::positive);
  std::vector<double> numbers(static_cast<std::size_t>(shape.size()));
  for (double& number : numbers)
    number = static_cast<double>(random.below(find_size(sizes, input.below)));
  return tensor(numbers, shape, DType::f64);
}

Formula formula_with_sizes(Formula formula, const Sizes& sizes) {
  for (Assignment& each : formula) each.expression = with_sizes(each.expression, sizes);
  return formula;
}

/// The value of a gradient, or the reason why it has none.
struct Outcome {
  Tensor value;
  std::string error;
};
Outcome compute_outcome(const Formula& formula, const std::string& gradient, const RuleCase& at,
                        const std::vector<Reading>& readings = {}) {
  try {
    for (const auto& [name, value] :
         evaluate(formula_with_sizes(formula, at.sizes), at.given, readings))
      if (name == gradient) return {value, ""};
    return {{}, "not assigned"};
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string text = error.what(), prefix = gradient + ": ";
    return {{}, starts_with(text, prefix) ? text.substr(prefix.size()) : text};
  }
}

bool is_near(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b ||
         std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}
/// Returns the number of the first element that differs; -1 if there is none.
Index first_different(const Tensor& a, const Tensor& b) {
  for (Index i = 0; i < a.size(); ++i)
    if (!is_near(a(i), b(i))) return i;
  return -1;
}
bool same(const Outcome& a, const Outcome& b) {
  if (!a.value || !b.value) return !a.value && !b.value;
  return a.value.shape() == b.value.shape() && first_different(a.value, b.value) < 0;
}

/// Describes the inputs of a case; empty for case 0, which the student sees.
std::string describe_case(const RuleTask& rule, const RuleCase& at, int number) {
  if (number == 0) return "";
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < rule.inputs.size(); ++i)
    shapes.push_back(fmt::format("{} {}", at.given[i].first, at.given[i].second.shape()));
  return fmt::format("with other numbers, {}", fmt::join(shapes, ", "));
}

/// Compares a student's gradient with the expected one.
CheckedPart compare_gradient(const std::string& name, const Outcome& given, const Tensor& wanted) {
  CheckedPart part{name, "right", "", "", "", ""};
  if (!given.value) {
    part.state = "failed";
    part.note = given.error;
  } else if (given.value.shape() != wanted.shape()) {
    part.state = "wrong";
    part.note = fmt::format("{} has shape {}, expected {}, the shape of {}", name,
                            given.value.shape(), wanted.shape(), name.substr(1));
  } else if (const Index i = first_different(given.value, wanted); i >= 0) {
    part.state = "wrong";
    part.where = name + (wanted.rank() == 0 ? "" : indices_of(wanted.shape(), i));
    std::tie(part.given, part.expected) = format_pair(given.value(i), wanted(i));
  }
  return part;
}

/// Returns the description of a known mistake that gives the student's values in all cases; empty
/// if there is none.
std::string known_mistake(const RuleTask& rule, const std::string& gradient,
                          const std::vector<RuleCase>& all, const std::vector<Outcome>& given) {
  for (const RuleMistake& mistake : rule.mistakes) {
    if (!has_named(mistake.formula, gradient)) continue;
    bool all_same = true;
    for (std::size_t i = 0; i < all.size() && all_same; ++i)
      all_same = same(given[i], compute_outcome(mistake.formula, gradient, all[i]));
    if (all_same) return mistake.words;
  }
  return "";
}

/// Checks a gradient in one reading of a formula.
CheckedPart check_reading(const RuleTask& rule, const Formula& formula, std::size_t gradient,
                          const std::vector<RuleCase>& all, const std::vector<Reading>& readings) {
  const std::string name = rule.wanted()[gradient];
  std::vector<Outcome> outcomes;
  for (const RuleCase& at : all) outcomes.push_back(compute_outcome(formula, name, at, readings));
  CheckedPart part{name, "right", "", "", "", ""};
  for (std::size_t i = 0; i < all.size() && part.state == "right"; ++i) {
    part = compare_gradient(name, outcomes[i], all[i].wanted[gradient]);
    if (part.state == "right") continue;
    part.mistake = known_mistake(rule, name, all, outcomes);
    const std::string drawn = describe_case(rule, all[i], static_cast<int>(i));
    if (!drawn.empty()) part.note += (part.note.empty() ? "" : "; ") + drawn;
  }
  return part;
}

/// Returns whether a wrong gradient follows from the student's own intermediate values, such as a
/// wrong ds: whether the solution's formula gives it, applied to these values.
bool follows_from_values(const RuleTask& rule, const Formula& formula, const std::string& gradient,
                         const RuleCase& at, const std::vector<Reading>& readings) {
  const Formula solution = parse_formula(rule.solution);
  const auto right = find_named(solution, gradient);
  try {
    const Variables values = evaluate(formula_with_sizes(formula, at.sizes), at.given, readings);
    const std::string expression = with_sizes(right->expression, at.sizes);
    const Tensor follow = evaluate({{"", expression}}, values).back().second;
    return any_of(values, [&](const auto& each) {
      return each.first == gradient && same({each.second, ""}, {follow, ""});
    });
  } catch (const Error&) {
    return false;  // the student has other intermediate values
  }
}

/// Marks wrong gradients that follow from a mistake as follow-ups, except the first.
void credit_follow_ups(const RuleTask& rule, const Formula& formula,
                       const std::vector<RuleCase>& all,
                       const std::vector<std::vector<Reading>>& readings, CheckedWork& work) {
  bool is_first = true;
  for (std::size_t g = 0; g < work.parts.size(); ++g) {
    CheckedPart& part = work.parts[g];
    const bool follows = part.state == "wrong" && all_of(all, [&](const RuleCase& at) {
                           return follows_from_values(rule, formula, part.name, at, readings[g]);
                         });
    if (follows && !std::exchange(is_first, false)) part.state = "follow-up";
  }
}

/// Ranks results: right, a known mistake, another wrong value, then an error.
int rank_of(const CheckedPart& part) {
  return part.state == "right" ? 3 : !part.mistake.empty() ? 2 : part.state == "wrong" ? 1 : 0;
}

}  // namespace

RuleCase rule_case(const RuleTask& rule, std::uint64_t student, int number) {
  const bool shown = number == 0;
  Random random(RandomKey{student, Draw::test, 3000000, static_cast<std::uint32_t>(number)});
  RuleCase at{rule.sizes, {}, {}};
  for (auto& [name, size] : at.sizes)
    if (number > 1) size = 1 + random.below(5);
  for (const RuleInput& input : rule.inputs)
    at.given.emplace_back(input.name, draw_input(input, at.sizes, random, shown));

  const Program program = parse_expression(with_sizes(rule.op, at.sizes), at.given);
  std::vector<Tensor> values;
  Tape tape;
  std::vector<int> whole;
  for (const ProgramLine& line : program)
    for (std::size_t i = 0; i < line.inputs.size(); ++i)
      if (line.integer_inputs[i]) whole.push_back(line.inputs[i]);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const ProgramLine& line = program[i];
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values)
                                                        : line.value.detached());
    if (line.kind == ProgramLine::Kind::variable && !contains(whole, static_cast<int>(i)))
      tape.watch(values.back());
  }
  const Tensor y = values.back().detached(), dy = draw_tensor(y.shape(), random, shown);
  const Gradients gradients = tape.backward(values.back(), dy, {false, false, true});
  const std::vector<std::string> wanted = rule.wanted();
  for (std::size_t i = 0; i < rule.inputs.size(); ++i)
    if (contains(wanted, "d" + rule.inputs[i].name)) at.wanted.push_back(gradients[values[i]]);
  at.given.emplace_back("y", y);
  at.given = evaluate(formula_with_sizes(rule.given, at.sizes), at.given);
  at.given.emplace_back("dy", dy);
  return at;
}

CheckedWork check_rule(const RuleTask& rule, std::uint64_t student, const std::string& text) {
  const Formula formula = parse_formula(text);
  for (const Assignment& each : formula)
    for (const auto& [name, size] : rule.sizes)
      if (each.name == name)
        throw UsageError("{0}: already the name of a size; choose another name", name);
  const std::vector<std::string> wanted = rule.wanted();
  std::vector<RuleCase> all;
  for (int i = 0; i < cases; ++i) all.push_back(rule_case(rule, student, i));
  const std::vector<std::vector<Reading>> all_readings =
      readings_of(formula_with_sizes(formula, rule.sizes), all[0].given);
  CheckedWork work;
  std::vector<std::vector<Reading>> chosen(wanted.size());
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    const std::string& name = wanted[g];
    CheckedPart part{name, "not done", "", "", "", ""};
    if (has_named(formula, name))
      for (const std::vector<Reading>& readings : all_readings) {
        CheckedPart read = check_reading(rule, formula, g, all, readings);
        if (part.state == "not done" || rank_of(read) > rank_of(part)) {
          part = std::move(read);
          chosen[g] = readings;
        }
        if (part.state == "right") break;
      }
    work.parts.push_back(std::move(part));
  }
  if (all_of(work.parts, [](const CheckedPart& part) { return part.state == "not done"; }))
    throw UsageError("learn rule {}: the formula assigns none of {}", rule.name,
                     fmt::join(wanted, ", "));
  credit_follow_ups(rule, formula, all, chosen, work);
  return work;
}

}  // namespace tapehead
