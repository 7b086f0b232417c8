#include "../../cli/terminal/terminal.hpp"
#include "expressions.hpp"
#include "tapes_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

struct Cells {
  std::string number, name, value;
};

Cells cells_of(const Explained& tape, int step) {
  if (step < 0) return {};
  return {std::to_string(step), tape.steps[step].name, summary(tape.steps[step].value)};
}

/// Both tapes side by side; without their values where there is no room for them.
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
  if (result.same()) return "the results are equal to the bit";
  if (result.differing == 0)
    return fmt::format("the results differ in type alone: {} and {}", result.type_a, result.type_b);
  std::string text = "the results differ";
  if (const Index size = result.a.size(); size > 1)
    text += fmt::format(" in {} of {} elements", result.differing, size);
  if (result.ulps == 0) return text + " in the sign of 0 alone, and are equal as numbers";
  if (!result.ulps) return text + "; not all of these are finite";
  const std::string most = apart(result.largest.a, result.largest.b, result.ulps);
  return text + fmt::format(", by at most {}", most);
}

/// The variables that both have, by whether their gradients are equal.
std::string gradients_text(const ComparedTapes& tapes) {
  std::vector<std::string> differing;
  std::size_t all = 0;
  for (const ComparedStep& row : tapes.rows) {
    if (!row.gradient || !tapes.a.steps[row.a].op.empty()) continue;
    ++all;
    if (row.gradient_differs()) differing.push_back(tapes.a.steps[row.a].name);
  }
  if (all == 0) return "no variable has a gradient in both";
  if (differing.empty()) return "the gradients of the variables are equal to the bit";
  return fmt::format("the gradients of {} differ", fmt::join(differing, ", "));
}

}  // namespace

std::string to_text(const ComparedExpressions& compared, int width) {
  const ComparedTapes tapes = compare_tapes(compared.a, compared.b);
  std::string text = wrapped("A  " + compared.a.expression, width) +
                     wrapped("B  " + compared.b.expression, width) + "\n";
  text += table_of(tapes, width) + "\n" + result_text(*tapes.result().value) + "\n" +
          wrapped(gradients_text(tapes), width);
  if (tapes.value.row >= 0)
    text += "\n" + parting_text(tapes, "first value that differs", tapes.value, width);
  if (tapes.gradient.row >= 0)
    text += "\n" + parting_text(tapes, "first gradient that differs, going backward",
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
