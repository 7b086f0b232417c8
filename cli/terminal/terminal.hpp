#pragma once
// Text for people: its width, colours, tables, and numbers as text.
#include "../../core/plural.hpp"
#include "../../train/files/strings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// Where text is written.
struct Terminal {
  bool live = false;    ///< a terminal, on which lines can be redrawn
  bool colour = false;  ///< live, unless NO_COLOR is set or TERM is dumb
  int width = 80;       ///< columns

  static Terminal of_output();  ///< standard output, as it is now
};

/// Columns that UTF-8 text takes: wide characters are 2, combining ones and escape sequences 0.
int display_width(std::string_view text);
/// At most `width` columns, of which the last is `…` if something is left out.
std::string shorten(const std::string& text, int width);
std::string pad_right(const std::string& text, int width);
std::string pad_left(const std::string& text, int width);
/// Lines of at most `width` columns, cut at spaces if there are any.
std::vector<std::string> wrap(const std::string& text, int width);
/// The same, each with a newline after it.
std::string wrapped(const std::string& text, int width);
/// Texts of several lines, side by side as far as they fit the width, the others below.
std::string side_by_side(const std::vector<std::string>& texts, int width);
/// A token by itself, even one that is a newline, or begins with a space: `↵`, `␣the`.
std::string label(const std::string& token);

enum class Style { bold, dim, good, bad };
/// In colour if the terminal has colours, else unchanged.
std::string paint(const Terminal& terminal, Style style, const std::string& text);

/// 103168 -> 103,168.
std::string grouped(long long count);
/// The same with a noun: 1 step, 103,168 steps.
std::string grouped(long long count, const char* thing);
/// A fixed number of decimals, or two digits where those don't suit: 0.0500, 1.2e-05.
std::string fixed(double number, int decimals);
/// Three digits: 412k, 1.23M, 999.
std::string human(double number);
/// 7.2 s, 1 min 50 s, 2 h 05 min.
std::string duration(double seconds);
/// 0:04, 1:50, 2:05:00.
std::string clock_time(double seconds);
/// 0.9876 -> 98.76 %, never rounded up to 100 nor down to 0.
std::string percent(double share);

/// Rows of aligned cells, two spaces apart; numbers are aligned to the right. The last column is
/// wrapped to the terminal's width, and what doesn't fit at all stands further down.
class Table {
 public:
  enum class Align { left, right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  void add_heading(std::string line);  ///< above the rows that follow, as wide as it is
  std::string text(int width, int indent = 0) const;

 private:
  /// Some of the columns, with the first.
  std::string beside(const std::vector<std::size_t>& shown, const std::vector<int>& widths,
                     int width, int indent) const;
  /// A column, each cell in lines of its own under the first one of its row.
  std::string below(std::size_t column, int width, int indent) const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Text within XML or HTML: control characters as signs, &lt; for <.
std::string escape_markup(const std::string& text);

}  // namespace tapehead
