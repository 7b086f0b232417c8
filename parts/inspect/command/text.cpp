#include "document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using Grid = Document::Grid;

/// Formats a number, without the sign of -0.00.
std::string decimal(double number, int decimals) {
  const std::string text = fmt::format("{:.{}f}", number, decimals);
  return text[0] == '-' && text.find_first_of("123456789i") == std::string::npos ? text.substr(1)
                                                                                 : text;
}

/// Returns the character that shows a share from -1 to 1.
std::string shade(double share) {
  constexpr const char* positive[] = {"·", "░", "▒", "▓", "█"};
  constexpr const char* negative[] = {"·", "-", "=", "≡", "#"};
  if (std::isnan(share)) return " ";
  const auto level = std::lround(std::clamp(std::abs(share), 0.0, 1.0) * 4);
  return (share < 0 ? negative : positive)[level];
}

/// Returns the terminal colour (0 to 255) for a share from -1 to 1: from black over red to yellow,
/// or to light blue if negative.
int colour(double share) {
  constexpr int positive[] = {234, 52, 88, 124, 160, 202, 208, 214};
  constexpr int negative[] = {234, 17, 18, 19, 20, 27, 33, 39};
  const auto level = std::lround(std::clamp(std::abs(share), 0.0, 1.0) * 7);
  return (share < 0 ? negative : positive)[level];
}

/// Formats cell i in `width` columns, of which the last is a space.
std::string cell_text(const Grid& grid, std::size_t i, int width, bool shaded,
                      const Terminal& terminal) {
  const double value = grid.values[i];
  const double share = value / grid.strongest();
  const bool empty = std::isnan(value);
  std::string text;
  if (shaded)
    text = terminal.colour ? " " : shade(share);
  else if (!grid.texts.empty())
    text = label(grid.texts[i]);
  else if (!empty)
    text = decimal(value, grid.decimals);
  const int inner = width > 1 ? width - 1 : 1;
  text = grid.texts.empty() ? pad_left(text, inner) : pad_right(shorten(text, inner), inner);
  if (terminal.colour && !empty)
    text = fmt::format("\x1b[48;5;{}m\x1b[38;5;{}m{}\x1b[0m", colour(share),
                       std::abs(share) > 0.7 && share > 0 ? 16 : 255, text);
  return pad_right(text, width);
}

int widest(const std::vector<std::string>& texts, int least, int most) {
  for (const std::string& text : texts) least = std::max(least, display_width(label(text)));
  return std::min(least, most);
}

/// Formats the labels above columns of this width; wider labels are vertical.
std::string header(const std::vector<std::string>& labels, int width, const std::string& margin,
                   bool to_right) {
  const int inner = width > 1 ? width - 1 : 1;
  std::size_t height = 1;
  std::vector<std::vector<std::string>> columns;
  for (const std::string& each : labels) {
    const std::string text = shorten(label(each), 8);
    const bool upright = display_width(text) > inner;
    columns.push_back(upright ? characters(text) : std::vector<std::string>{text});
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = margin;
    for (const auto& column : columns) {
      const std::string part = row < column.size() ? column[row] : "";
      line += pad_right(to_right ? pad_left(part, inner) : part, width);
    }
    text += without_end_spaces(line) + '\n';
  }
  return text;
}

std::string to_text(const Grid& grid, const Terminal& terminal) {
  const int beside = widest(grid.rows, display_width(grid.down), 16);
  const int room = std::max(terminal.width - beside - 2, 8);
  int number = 0;
  for (double value : grid.values)
    if (!std::isnan(value)) number = std::max(number, display_width(decimal(value, grid.decimals)));
  const int wide = 1 + (grid.texts.empty() ? widest(grid.columns, number, std::max(number, 8))
                                           : widest(grid.texts, widest(grid.columns, 1, 8), 8));
  const int count = static_cast<int>(grid.columns.size());
  const bool shaded = grid.texts.empty() && count * wide > room;
  const int width = !shaded ? wide : count * 2 <= room ? 2 : 1;
  const int at_once = std::max(room / width, 1);
  std::string text = paint(terminal, Style::bold, grid.title) + '\n';
  if (!grid.across.empty()) text += pad_left(grid.down, beside) + "  " + grid.across + '\n';
  for (int first = 0; first < count; first += at_once) {
    const int end = std::min(first + at_once, count);
    text += header({grid.columns.begin() + first, grid.columns.begin() + end}, width,
                   std::string(static_cast<std::size_t>(beside) + 2, ' '), grid.texts.empty());
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      std::string line = pad_left(shorten(label(grid.rows[row]), beside), beside) + "  ";
      for (int i = first; i < end; ++i)
        line += cell_text(grid, row * grid.columns.size() + static_cast<std::size_t>(i), width,
                          shaded, terminal);
      text += without_end_spaces(line) + '\n';
    }
  }
  if (shaded)
    text += fmt::format("{} is 0, {} {:.3g}, {} {:.3g}\n", shade(0), shade(1), grid.strongest(),
                        shade(-1), -grid.strongest());
  return text;
}

std::string text_of(const Document::Cell& cell, const Document::Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return visible(*text);
  const double number = std::get<double>(cell);
  if (std::isnan(number)) return "–";
  if (column.kind == Document::Column::Kind::share) return percent(number);
  return decimal(number, column.decimals);
}

std::string to_text(const Document::Table& table, const Terminal& terminal) {
  using Align = Table::Align;
  std::vector<Align> aligned;
  std::vector<std::string> names;
  for (const auto& column : table.columns) {
    aligned.push_back(column.kind == Document::Column::Kind::text ? Align::left : Align::right);
    names.push_back(column.name);
  }
  Table rows(aligned);
  rows.add(names);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(text_of(row[i], table.columns[i]));
    rows.add(std::move(cells));
  }
  return paint(terminal, Style::bold, table.title) + '\n' + rows.text(terminal.width);
}

/// Formats one table row per curve, with a column per step.
std::string to_text(const Document::Curves& curves, const Terminal& terminal) {
  using Column = Document::Column;
  Document::Table table{curves.title + ": " + curves.quantity, {{"step", Column::Kind::text}}, {}};
  for (Index step : curves.steps)
    table.columns.push_back({fmt::format("{}", step), Column::Kind::number, 3});
  for (const auto& line : curves.lines) {
    table.rows.push_back({line.name});
    table.rows.back().insert(table.rows.back().end(), line.values.begin(), line.values.end());
  }
  return to_text(table, terminal);
}

}  // namespace

std::string to_text(const Document& document, const Terminal& terminal) {
  std::string text = wrapped(document.title, terminal.width);
  for (const std::string& note : document.notes) text += wrapped(note, terminal.width);
  for (const auto& grid : document.grids) text += '\n' + to_text(grid, terminal);
  for (const auto& table : document.tables) text += '\n' + to_text(table, terminal);
  for (const auto& curves : document.curves) text += '\n' + to_text(curves, terminal);
  return text;
}

}  // namespace tapehead
