#pragma once
// Formatting of text for a terminal: width, colours, tables and numbers.
#include "../../core/plural.hpp"
#include "../../train/files/strings.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// Properties of the output.
struct Terminal {
  bool live = false;    ///< true: a terminal, on which lines can be redrawn
  bool colour = false;  ///< true if live, unless NO_COLOR is set or TERM is dumb
  int width = 80;       ///< columns

  static Terminal of_output();  ///< returns the properties of standard output
};

/// Returns the columns of UTF-8 text: 2 for wide characters, 0 for combining ones and escape
/// sequences.
int display_width(std::string_view text);
/// Returns text of at most `width` columns; a cut text ends in `…`.
std::string shorten(const std::string& text, int width);
std::string pad_right(const std::string& text, int width);
std::string pad_left(const std::string& text, int width);
/// Splits text into lines of at most `width` columns, at spaces if possible.
std::vector<std::string> wrap(const std::string& text, int width);
/// Returns the lines of `wrap`, indented, as one text; each line ends with a newline.
std::string wrapped(const std::string& text, int width, int indent = 0);
template <class... Args>
std::string wrapped(int width, fmt::format_string<Args...> text, Args&&... args) {
  return wrapped(fmt::format(text, std::forward<Args>(args)...), width);
}
std::string repeat(const char* text, int times);
/// Returns the line without spaces at its end.
std::string without_end_spaces(std::string line);
/// Joins texts of several lines side by side, as far as they fit the width, the others below.
std::string side_by_side(const std::vector<std::string>& texts, int width);
/// Returns a visible form of a token, also of a newline or leading space: `↵`, `␣the`.
std::string label(const std::string& token);

enum class Style { bold, dim, good, bad };
/// Returns the text in colour if the terminal has colours, else unchanged.
std::string paint(const Terminal& terminal, Style style, const std::string& text);

/// Returns 103,168 for 103168.
std::string grouped(long long count);
/// Returns a grouped number with a noun: 1 step, 103,168 steps.
std::string grouped(long long count, const char* thing);
/// Returns a fixed number of decimals, or two digits if those don't fit: 0.0500, 1.2e-05.
std::string fixed(double number, int decimals);
/// Returns three digits: 412k, 1.23M, 999.
std::string human(double number);
/// Returns 7.2 s, 1 min 50 s, 2 h 05 min.
std::string duration(double seconds);
/// Returns 0:04, 1:50, 2:05:00.
std::string clock_time(double seconds);
/// Returns 98.76 % for 0.9876, never rounded up to 100 or down to 0.
std::string percent(double share);

/// A table with aligned columns, two spaces apart. The last column is wrapped to the terminal's
/// width; columns that don't fit follow below.
class Table {
 public:
  enum class Align { left, right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  void add_heading(std::string line);  ///< adds a heading above the following rows
  std::string text(int width, int indent = 0) const;

 private:
  /// Formats the first column and the columns `shown` next to each other.
  std::string beside(const std::vector<std::size_t>& shown, const std::vector<int>& widths,
                     int width, int indent) const;
  /// Formats a column, each cell on separate lines below the first cell of its row.
  std::string below(std::size_t column, int width, int indent) const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Escapes text for XML or HTML, with control characters as symbols.
std::string escape_markup(const std::string& text);

}  // namespace tapehead
