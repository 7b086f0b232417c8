#include "../../cli/terminal/terminal.hpp"
#include "explanation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index most_columns = 8, most_rows = 8;

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (value == 0) return "0.0000";  // avoid -0.0000
  const double size = std::abs(value);
  const bool plain = (size >= 1e-3 && size < 1e5) || !std::isfinite(value);
  return plain ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}
int widest(const std::vector<std::string>& lines) {
  int width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

std::vector<std::string> matrix_lines(const Tensor& x) {
  const Index columns = x.rank() == 0 ? 1 : x.dim(-1);
  const Index rows = columns == 0 ? 0 : x.size() / columns;
  const std::vector<double> values = x.values();
  if (columns > most_columns || rows > most_rows || values.empty()) {
    if (values.empty()) return {"no elements"};
    double mean = 0, square = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values)
      square += (v - mean) * (v - mean) / static_cast<double>(values.size());
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {fmt::format("mean {}, deviation {},", number(mean), number(std::sqrt(square))),
            fmt::format("{} to {}", number(*low), number(*high))};
  }
  std::vector<std::string> cells;
  for (const double v : values) cells.push_back(number(v));
  const int width = widest(cells);
  std::vector<std::string> lines;
  for (Index row = 0; row < rows; ++row) {
    // Tensors of higher rank are matrices separated by blank lines.
    if (x.rank() > 2 && row > 0 && row % x.dim(-2) == 0) lines.emplace_back();
    std::string line;
    for (Index column = 0; column < columns; ++column)
      line += (column > 0 ? "  " : "") + pad_left(cells[row * columns + column], width);
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

std::string number(const Tensor& x) { return x ? number(x.item()) : ""; }

std::string kink_text(const Difference& kink) {
  return fmt::format("a kink with one-sided derivatives {} and {}", number(kink.left),
                     number(kink.right));
}

/// Compares the gradient with the finite differences, first at smooth points, then at kinks:
/// returns `finite differences agree`, or the worst element. The tolerance is relative to the
/// largest gradient.
std::string agreement(const ExplainedStep& line, double tolerance) {
  const std::vector<double> ours = line.gradient.values(), theirs = line.difference.values(),
                            at = line.value.values();
  double largest = 1e-4;
  std::size_t infinite = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (std::isinf(at[i]) && ++infinite) continue;
    largest = std::max({largest, std::abs(ours[i]), std::abs(theirs[i])});
  }
  if (infinite > 0 && infinite == at.size()) return "no finite differences at infinity";
  for (const bool on_kinks : {false, true}) {
    double error = 0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (std::isinf(at[i]) || (line.kinks.count(static_cast<Index>(i)) > 0) != on_kinks) continue;
      const double apart = std::abs(ours[i] - theirs[i]);
      if (!(apart <= error)) error = apart, worst = i;
      if (std::isnan(error)) break;
    }
    if (error <= tolerance * largest) continue;
    return fmt::format("finite differences give {} at element {}{}", number(theirs[worst]), worst,
                       on_kinks ? ", " + kink_text(line.kinks.at(static_cast<Index>(worst))) : "");
  }
  return "finite differences agree";
}

// ---- all values are numbers: a table

struct Row {
  std::string index, op, inputs, value, backward, gradient, difference;
  std::vector<std::string> below;  ///< notes below the row
};

/// Formats the gradient of a value with several uses, as in `dx = 4.0000 = 3.0000 (mul 2) + 1.0000
/// (add 3)`.
std::string sum_of(const Explanation& explanation, std::size_t at) {
  const ExplainedStep& line = explanation.steps[at];
  std::vector<std::string> terms;
  for (const Contribution& each : explanation.contributions(at))
    terms.push_back(fmt::format("{} ({} {})", number(each.gradient),
                                explanation.steps[each.step].name, each.step));
  return fmt::format("d{} = {} = {}", line.name, number(line.gradient), fmt::join(terms, " + "));
}

std::vector<Row> rows_of(const Explanation& explanation) {
  std::vector<Row> rows;
  for (const ExplainedStep& line : explanation.steps) {
    Row row{std::to_string(rows.size()),
            line.name,
            fmt::format("{}", fmt::join(line.inputs, ", ")),
            number(line.value),
            line.backward_formula,
            number(line.gradient),
            number(line.difference),
            {}};
    if (explanation.contributions(rows.size()).size() > 1)
      row.below.push_back(sum_of(explanation, rows.size()));
    for (const auto& [element, kink] : line.kinks)
      if (std::abs(line.gradient(0) - kink.slope) > 1e-6)
        row.below.push_back("finite differences: " + kink_text(kink));
    if (!line.note.empty()) row.below.push_back(line.note);
    rows.push_back(std::move(row));
  }
  return rows;
}

int widest(const std::vector<Row>& rows, std::string Row::*cell, const char* title) {
  int width = display_width(title);
  for (const Row& row : rows) width = std::max(width, display_width(row.*cell));
  return width;
}

/// Appends the tangents to the value column.
void add_tangent_column(std::vector<Row>& rows, const Explanation& explanation) {
  std::vector<std::string> tangents;
  for (const ExplainedStep& line : explanation.steps) tangents.push_back(number(line.tangent));
  const int width = std::max(widest(tangents), display_width("tangent"));
  const int value = widest(rows, &Row::value, "value");
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].value = pad_left(rows[i].value, value) + "   " + pad_left(tangents[i], width);
}

/// Returns the heading of the value column, with `tangent` if tangents are shown.
std::string value_heading(const std::vector<Row>& rows, bool forward) {
  if (!forward) return " value";
  return pad_left("value   tangent", display_width(rows[0].value));
}

/// Formats a plain table, for terminals that are too narrow to wrap the formulas in their column.
std::string narrow_table(const std::vector<Row>& rows, const std::string& values, int width) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({right, left, left, right, left, right, right});
  table.add({"#", "op", "inputs", values, "backward", "gradient", "finite diff."});
  for (const Row& row : rows)
    table.add(
        {row.index, row.op, row.inputs, row.value, row.backward, row.gradient, row.difference});
  std::string text = table.text(width);
  for (const Row& row : rows)
    for (const std::string& below : row.below) text += wrapped(width, "{}: {}", row.index, below);
  return text;
}

std::string table(const std::vector<Row>& rows, const std::string& values, int width) {
  const int index = widest(rows, &Row::index, "#"), op = widest(rows, &Row::op, "op") + 1,
            inputs = widest(rows, &Row::inputs, "inputs"),
            value = widest(rows, &Row::value, "-0.0000"),
            gradient = widest(rows, &Row::gradient, "-0.0000"),
            difference = widest(rows, &Row::difference, "-0.0000");
  const auto before_rule =
      static_cast<std::size_t>(2 + index + 2 + op + 2 + inputs + 2 + value + 3);
  const int room = width - static_cast<int>(before_rule) - 3 - (gradient + 1) - 3 - 12;
  if (room < 12) return narrow_table(rows, values, width);
  const int backward = std::min(widest(rows, &Row::backward, "backward"), std::max(room, 12));
  std::string text =
      fmt::format("  {}  {}  {}  {}   {}   {}   finite diff.\n", pad_left("#", index),
                  pad_right("op", op), pad_right("inputs", inputs), pad_right(values, value),
                  pad_right("backward", backward), pad_right("gradient", gradient + 1));
  for (const Row& row : rows) {
    const std::vector<std::string> parts = wrap(row.backward, backward);
    std::string line = fmt::format(
        "  {}  {}  {}  {}   {}   {}    {}", pad_left(row.index, index), pad_right(row.op, op),
        pad_right(row.inputs, inputs), pad_left(row.value, value), pad_right(parts[0], backward),
        pad_left(row.gradient, gradient), pad_left(row.difference, difference));
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
    for (std::size_t i = 1; i < parts.size(); ++i)
      text += std::string(before_rule, ' ') + parts[i] + "\n";
    const auto indent = static_cast<std::size_t>(index + 4);
    for (const std::string& below : row.below)
      for (const std::string& part : wrap(below, width - static_cast<int>(indent)))
        text += std::string(indent, ' ') + part + "\n";
  }
  return text;
}

// ---- tensors: a paragraph for each line

struct Block {
  std::string title;
  std::vector<std::string> lines;
};

/// Places as many blocks next to each other as fit, and the others below them.
std::string side_by_side(const std::vector<Block>& blocks, int width, std::size_t indent) {
  std::string text;
  for (std::size_t from = 0, to = 0; from < blocks.size(); from = to) {
    std::vector<int> widths;
    int room = width - static_cast<int>(indent);
    std::size_t height = 0;
    for (to = from; to < blocks.size(); ++to) {
      const int wide = std::max(widest(blocks[to].lines), display_width(blocks[to].title));
      if (to > from && room < wide) break;
      room -= wide + 4;
      widths.push_back(wide);
      height = std::max(height, blocks[to].lines.size());
    }
    for (std::size_t row = 0; row <= height; ++row) {
      std::string line(indent, ' ');
      for (std::size_t i = from; i < to; ++i) {
        const Block& block = blocks[i];
        const std::string cell = row == 0                    ? block.title
                                 : row <= block.lines.size() ? block.lines[row - 1]
                                                             : "";
        line += pad_right(cell, widths[i - from] + 4);
      }
      text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  return text;
}

std::string paragraphs(const Explanation& explanation, int width) {
  std::string text;
  const bool rounded = any_of(explanation.steps, [](const ExplainedStep& line) {
    return line.value.dtype() == DType::f32;
  });
  const auto indent =
      static_cast<std::size_t>(display_width(std::to_string(explanation.steps.size() - 1)) + 4);
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const ExplainedStep& line = explanation.steps[i];
    std::string head = line.name;
    if (!line.inputs.empty()) head += fmt::format("({})", fmt::join(line.inputs, ", "));
    if (line.value.rank() > 0) head += fmt::format("  {}", line.value.shape());
    if (!line.backward_formula.empty()) head += "   " + line.backward_formula;
    const std::vector<std::string> parts = wrap(head, width - static_cast<int>(indent));
    text += fmt::format("  {}  {}\n", pad_left(std::to_string(i), static_cast<int>(indent) - 4),
                        parts[0]);
    for (std::size_t part = 1; part < parts.size(); ++part)
      text += std::string(indent, ' ') + parts[part] + "\n";
    std::vector<Block> blocks = {{"value", matrix_lines(line.value)}};
    if (line.tangent) blocks.push_back({"tangent", matrix_lines(line.tangent)});
    if (line.gradient) blocks.push_back({"gradient", matrix_lines(line.gradient)});
    const std::vector<Contribution> contributions = explanation.contributions(i);
    const bool several = contributions.size() > 1;
    for (const Contribution& each : contributions) {
      if (!several && each.summed.empty()) continue;
      const std::string summed = each.summed.empty() ? "" : ", summed over " + each.summed;
      blocks.push_back({fmt::format("{} {} {}{}", &each == contributions.data() ? "=" : "+",
                                    explanation.steps[each.step].name, each.step, summed),
                        several ? matrix_lines(each.gradient) : std::vector<std::string>{}});
    }
    text += side_by_side(blocks, width, indent);
    const std::string agreed = line.difference ? agreement(line, rounded ? 1e-3 : 1e-6) : "";
    for (const std::string& said : {agreed, line.note})
      for (const std::string& part : wrap(said, width - static_cast<int>(indent)))
        if (!said.empty()) text += std::string(indent, ' ') + part + "\n";
  }
  return text;
}

/// Explains tangents and compares the costs of the modes: one forward run per input number, or one
/// backward run per output number.
std::string costs_text(const Explanation& explanation) {
  Index in = 0;
  std::string along;
  for (const ExplainedStep& step : explanation.steps)
    if (step.op.empty() && step.gradient) in += step.value.size();
  for (const auto& [name, value] : explanation.direction)
    along += fmt::format("{}{} = {}", along.empty() ? "" : ", ", name,
                         value.size() == 1 ? fmt::format("{:g}", value.item())
                                           : fmt::format("a tensor {}", value.shape()));
  const Index out = explanation.steps.back().value.size();
  return fmt::format(
      "A tangent is the derivative of a value along {}. All derivatives need {} forward, one per "
      "input number, or {} backward, one per output number.",
      along, plural(in, "run"), plural(out, "run"));
}

}  // namespace

std::vector<std::string> notes_of(const Explanation& explanation) {
  std::vector<std::string> notes;
  if (!explanation.direction.empty()) notes.push_back(costs_text(explanation));
  if (explanation.has_primes)
    notes.emplace_back(
        "A name with a prime (a') belongs to the op's formula, not to your variables.");
  return notes;
}

std::string to_text(const Explanation& explanation, int width) {
  const bool numbers =
      all_of(explanation.steps, [](const ExplainedStep& line) { return line.value.rank() == 0; });
  const bool forward = !explanation.direction.empty();
  std::string text;
  if (numbers) {
    std::vector<Row> rows = rows_of(explanation);
    if (forward) add_tangent_column(rows, explanation);
    text = table(rows, value_heading(rows, forward), width);
  } else {
    text = paragraphs(explanation, width);
  }
  for (const std::string& note : notes_of(explanation)) text += wrapped(note, width);
  return text;
}

}  // namespace tapehead
