#include "expressions.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/files/strings.hpp"
#include "tapes.hpp"
#include "tensors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tapehead {
namespace {

/// The values of each variable, by name, in the first and in the second expression.
using Given = std::vector<std::pair<std::string, std::pair<Tensor, Tensor>>>;

Given parse_given(const std::vector<std::string>& words) {
  Given given;
  std::set<std::string> twice;
  for (const std::string& word : words) {
    const auto [name, text] = name_and_value(word);
    const auto known =
        find_if(given, [&, name = name](const auto& one) { return one.first == name; });
    const std::uint64_t seed = static_cast<std::uint64_t>(known - given.begin()) + 1;
    const Tensor value = parse_value(name, text, seed);
    if (known == given.end())
      given.push_back({name, {value, value}});
    else if (twice.insert(name).second)
      known->second.second = value;
    else
      throw UsageError("explain: {} has three values; give at most one per expression", name);
  }
  return given;
}

Explanation explained(const std::string& expression, const Given& given,
                      Tensor std::pair<Tensor, Tensor>::*side, std::set<std::string>& used) {
  Variables variables;
  Tensor dy;
  for (const auto& [name, values] : given) {
    if (name == "dy")
      dy = values.*side;
    else
      variables.emplace_back(name, values.*side);
  }
  variables = used_variables(expression, variables);
  for (const auto& [name, value] : variables) used.insert(name);
  return explain(expression, parse_expression(expression, variables), dy, false);
}

}  // namespace

ComparedExpressions compare_expressions(const std::string& a, const std::string& b,
                                        const std::vector<std::string>& words) {
  constexpr const char* of_explain = "explain: ";
  try {
    const Given given = parse_given(words);
    std::set<std::string> used = {"dy"};
    ComparedExpressions compared{explained(a, given, &std::pair<Tensor, Tensor>::first, used),
                                 explained(b, given, &std::pair<Tensor, Tensor>::second, used)};
    for (const auto& [name, values] : given)
      if (used.count(name) == 0)
        throw UsageError("explain: {} has a value, but neither expression uses it", name);
    return compared;
  } catch (const UsageError& error) {  // the message must name `compare`, not `explain`
    const std::string text = error.what();
    if (!starts_with(text, of_explain)) throw;
    throw UsageError("compare: {}", text.substr(std::string(of_explain).size()));
  }
}

bool are_equal(const ComparedExpressions& compared) {
  const auto &a = compared.a.steps, &b = compared.b.steps;
  if (!difference_of(a.back().value, b.back().value).same()) return false;
  return all_of(a, [&](const ExplainedStep& x) {
    const auto other =
        find_if(b, [&](const ExplainedStep& y) { return y.op.empty() && y.name == x.name; });
    return !x.op.empty() || !x.gradient || other == b.end() || !other->gradient ||
           difference_of(x.gradient, other->gradient).same();
  });
}

namespace {

struct Cells {
  std::string number, name, value;
};

Cells cells_of(const Explained& tape, int step) {
  if (step < 0) return {};
  return {std::to_string(step), tape.steps[step].name, summary(tape.steps[step].value)};
}

/// Shows both tapes next to each other; omits the values if the table would be too wide.
std::string table_of(const ComparedTapes& tapes, int width) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  const auto marked = [](const std::optional<TensorDifference>& difference, bool first) {
    return !difference ? "" : brief(*difference) + (first ? "  <- first" : "");
  };
  std::vector<std::vector<std::string>> rows = {
      {"#", "A", "value", "#", "B", "value", "values", "gradients"}};
  for (std::size_t i = 0; i < tapes.rows.size(); ++i) {
    const ComparedStep& row = tapes.rows[i];
    const Cells a = cells_of(tapes.a, row.a), b = cells_of(tapes.b, row.b);
    const auto number = static_cast<int>(i);
    rows.push_back({a.number, a.name, a.value, b.number, b.name, b.value,
                    marked(row.value, number == tapes.value.row),
                    marked(row.gradient, number == tapes.gradient.row)});
  }
  constexpr int columns = 8, indent = 2, between = 2;
  int needed = indent + (columns - 1) * between;
  for (int column = 0; column < columns; ++column) {
    int widest = 0;
    for (const auto& row : rows) widest = std::max(widest, display_width(row[column]));
    needed += widest;
  }
  if (needed <= width) {
    Table table({right, left, right, right, left, right, left, left});
    for (auto& row : rows) table.add(std::move(row));
    return table.text(width, indent);
  }
  Table table({right, left, right, left, left, left});
  for (const auto& row : rows) table.add({row[0], row[1], row[3], row[4], row[6], row[7]});
  return table.text(width, indent);
}

std::string result_text(const TensorDifference& result) {
  if (!result.same_shape())
    return fmt::format("the results differ in shape: {} and {}", result.a, result.b);
  if (result.same()) return "the results are bitwise identical";
  if (result.differing == 0)
    return fmt::format("the results differ only in type: {} and {}", result.type_a, result.type_b);
  std::string text = result.only_rounding ? "the results are equal up to rounding: they differ"
                                          : "the results differ";
  if (const Index size = result.a.size(); size > 1)
    text += fmt::format(" in {} of {} elements", result.differing, size);
  if (result.ulps == 0) return text + " only in the sign of 0";
  if (!result.ulps) return text + "; some of these aren't finite";
  const std::string most = apart(result.largest.a, result.largest.b, result.ulps);
  return text + fmt::format(", by at most {}", most);
}

/// Says which variables that both expressions use have different gradients, if any.
std::string gradients_text(const ComparedTapes& tapes) {
  std::vector<std::string> differing;
  std::size_t all = 0;
  bool only_rounding = true;
  for (const ComparedStep& row : tapes.rows) {
    if (!row.gradient || !tapes.a.steps[row.a].op.empty()) continue;
    ++all;
    if (!row.gradient_differs()) continue;
    differing.push_back(tapes.a.steps[row.a].name);
    only_rounding = only_rounding && row.gradient->only_rounding;
  }
  if (all == 0) return "no variable has a gradient in both";
  if (differing.empty()) return "the gradients of the variables are bitwise identical";
  return fmt::format("the gradients of {} {}", fmt::join(differing, ", "),
                     only_rounding ? "are equal up to rounding" : "differ");
}

/// Explains ulps if the comparison mentions one: near the result, if that differs.
std::string ulp_text(const ComparedTapes& tapes) {
  std::vector<std::optional<TensorDifference>> all = {tapes.result().value};
  for (const ComparedStep& row : tapes.rows) all.insert(all.end(), {row.value, row.gradient});
  for (const std::optional<TensorDifference>& found : all)
    if (found && found->differing > 0 && found->ulps && *found->ulps > 0)
      return explain_ulp(found->largest.a, found->type_a) + ".";
  return "";
}

}  // namespace

std::string to_text(const ComparedExpressions& compared, int width) {
  const ComparedTapes tapes = compare_tapes(compared.a, compared.b);
  std::string text = wrapped("A  " + compared.a.expression, width) +
                     wrapped("B  " + compared.b.expression, width) + "\n";
  text += table_of(tapes, width) + "\n" + wrapped(result_text(*tapes.result().value), width) +
          wrapped(gradients_text(tapes), width) + wrapped(ulp_text(tapes), width);
  if (tapes.value.row >= 0)
    text += "\n" + divergence_text(tapes, "first value that differs", tapes.value, width);
  if (tapes.gradient.row >= 0)
    text += "\n" + divergence_text(tapes, "first gradient that differs in the backward pass",
                                   tapes.gradient, width);
  return text;
}

Json to_json(const ComparedExpressions& compared) {
  const ComparedTapes tapes = compare_tapes(compared.a, compared.b);
  Json document = {{"kind", "expressions"},
                   {"equal", are_equal(compared)},
                   {"a", to_json(compared.a)},
                   {"b", to_json(compared.b)},
                   {"result", to_json(*tapes.result().value)}};
  add_json(document, tapes);
  return document;
}

}  // namespace tapehead
