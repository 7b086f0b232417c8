#include "terminal.hpp"
#include "../../core/system/terminal.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"
#include "cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace tapehead {
namespace {

/// Returns the number of bytes of the escape sequence `ESC [ ... letter` that starts here, or 0.
std::size_t escape_bytes(std::string_view text) {
  if (text.substr(0, 2) != "\x1b[") return 0;
  const std::size_t end = text.find_first_not_of("0123456789;?", 2);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Minimum width for wrapping the last cell of a row.
constexpr int narrow = 20;

}  // namespace

Terminal Terminal::of_output() {
  Terminal terminal;
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value ? std::string(value) : std::string();
  };
  terminal.live = system::is_terminal(system::standard_output) && system::has_escape_sequences();
  terminal.colour = terminal.live && set("NO_COLOR").empty();
  if (const int shown = system::terminal_size().columns; terminal.live && shown > 0)
    terminal.width = shown;
  else if (const int columns = std::atoi(set("COLUMNS").c_str()); columns > 0)
    terminal.width = columns;
  terminal.width = std::max(terminal.width, 20);
  return terminal;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (const std::size_t escape = escape_bytes(text)) {
      text.remove_prefix(escape);
      continue;
    }
    const Cluster cluster = first_cluster(text);
    width += cluster.width;
    text.remove_prefix(cluster.bytes);
  }
  return width;
}

std::string shorten(const std::string& text, int width) {
  if (display_width(text) <= width) return text;
  std::string_view rest = text;
  std::string start;
  for (int used = 0; !rest.empty();) {
    const std::size_t escape = escape_bytes(rest);
    const Cluster next = escape ? Cluster{escape, 0} : first_cluster(rest);
    used += next.width;
    if (used > width - 1) break;
    start += rest.substr(0, next.bytes);
    rest.remove_prefix(next.bytes);
  }
  if (width <= 0) return "";
  const bool styled = start.find('\x1b') != std::string::npos;
  return start + "…" + (styled ? "\x1b[0m" : "");
}

std::string pad_right(const std::string& text, int width) {
  return text + std::string(std::max(0, width - display_width(text)), ' ');
}
std::string pad_left(const std::string& text, int width) {
  return std::string(std::max(0, width - display_width(text)), ' ') + text;
}

std::vector<std::string> wrap(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  int used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (used > 0 && used + 1 + display_width(word) <= width) {
      lines.back() += ' ' + word;
      used += 1 + display_width(word);
      continue;
    }
    if (used > 0) lines.emplace_back();
    used = 0;
    if (display_width(word) <= width) {
      lines.back() = word;
      used = display_width(word);
      continue;
    }
    for (std::string_view rest = word; !rest.empty();) {
      const Cluster next = first_cluster(rest);
      if (used > 0 && used + next.width > width) {
        lines.emplace_back();
        used = 0;
      }
      lines.back() += rest.substr(0, next.bytes);
      rest.remove_prefix(next.bytes);
      used += next.width;
    }
  }
  return lines;
}

std::string side_by_side(const std::vector<std::string>& texts, int width) {
  std::string result;
  constexpr int gap = 3;         // columns
  std::vector<std::string> row;  // lines of the texts side by side
  int used = 0;
  const auto end_row = [&] {
    if (!result.empty() && !row.empty()) result += '\n';
    for (std::string& line : row) result += without_end_spaces(line) + '\n';
    row.clear();
    used = 0;
  };
  for (const std::string& text : texts) {
    const std::vector<std::string> lines = split_lines(text);
    int columns = 0;
    for (const std::string& line : lines) columns = std::max(columns, display_width(line));
    if (used > 0 && used + gap + columns > width) end_row();
    const int start = used > 0 ? used + gap : 0;
    row.resize(std::max(row.size(), lines.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) row[i] = pad_right(row[i], start) + lines[i];
    used = start + columns;
  }
  end_row();
  return result;
}

std::string wrapped(const std::string& text, int width, int indent) {
  std::string lines;
  for (const std::string& line : wrap(text, width - indent))
    lines += pad_right("", indent) + line + '\n';
  return lines;
}

std::string repeat(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string label(const std::string& token) {
  return starts_with(token, " ") ? "␣" + visible(token.substr(1)) : visible(token);
}

std::string paint(const Terminal& terminal, Style style, const std::string& text) {
  if (!terminal.colour) return text;
  const char* code = style == Style::bold   ? "1"
                     : style == Style::dim  ? "2"
                     : style == Style::good ? "32"
                                            : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string grouped(long long count) {
  std::string digits = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(long long count, const char* thing) {
  return fmt::format("{} {}{}", grouped(count), thing, count == 1 ? "" : "s");
}

std::string fixed(double number, int decimals) {
  number = without_nan_sign(number);
  const bool plain = number == 0 || (number >= 1e-3 && number < 1e4) || !std::isfinite(number);
  return plain ? fmt::format("{:.{}f}", number, decimals) : fmt::format("{:.1e}", number);
}

std::string human(double number) {
  if (!std::isfinite(number)) return fmt::format("{}", without_nan_sign(number));
  const char* units[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  for (; std::abs(number) >= 999.5 && unit + 1 < std::size(units); ++unit) number /= 1000;
  const double size = std::abs(number);
  const int decimals = unit == 0 && number == std::floor(number) ? 0
                       : size < 9.995                            ? 2
                       : size < 99.95                            ? 1
                                                                 : 0;
  return fmt::format("{:.{}f}{}", number, decimals, units[unit]);
}

std::string duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const long long whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const long long minutes = std::llround(seconds / 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string clock_time(double seconds) {
  const long long whole = std::llround(std::clamp(seconds, 0.0, 1e9));
  const long long hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours == 0) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
}

std::string percent(double share) {
  double hundredths = std::round(share * 1e4);
  if (share < 1) hundredths = std::min(hundredths, 9999.0);
  if (share > 0) hundredths = std::max(hundredths, 1.0);
  return fmt::format("{:.2f} %", hundredths / 100);
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::add_heading(std::string line) { rows_.push_back({std::move(line)}); }

std::string Table::text(int width, int indent) const {
  const std::size_t end = columns_.size();
  std::vector<int> widths(end, 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < end && row.size() == end; ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::string text;
  // Columns of a table that is too wide follow in another table below.
  for (std::size_t begin = 1; begin < end || end == 1;) {
    std::vector<std::size_t> shown = {0};
    int before = indent + widths[0] + 2;
    std::size_t next = begin;
    for (; next < end; ++next) {
      const bool wraps = next + 1 == end && columns_[next] == Align::left;
      if (before + (wraps ? std::min(widths[next], narrow) : widths[next]) > width) break;
      shown.push_back(next);
      before += widths[next] + 2;
    }
    // If not even one column fits, its cells go below the first column.
    if (next == begin && end > 1) {
      text += below(next++, width, indent);
    } else {
      text += beside(shown, widths, width, indent);
    }
    begin = next;
    if (end == 1) break;
  }
  return text;
}

std::string Table::below(std::size_t column, int width, int indent) const {
  std::string text;
  for (const auto& row : rows_) {
    if (row.size() < columns_.size()) continue;  // a heading
    if (!row[0].empty()) text += std::string(indent, ' ') + row[0] + '\n';
    for (const std::string& part : wrap(row[column], width - indent - 4))
      if (!part.empty()) text += std::string(indent + 4, ' ') + part + '\n';
  }
  return text;
}

std::string Table::beside(const std::vector<std::size_t>& shown, const std::vector<int>& widths,
                          int width, int indent) const {
  const std::size_t last = shown.back();
  int before = indent;
  for (std::size_t i : shown)
    if (i != last) before += widths[i] + 2;
  const bool wraps = last + 1 == columns_.size() && columns_[last] == Align::left;
  std::string text;
  const auto end_line = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    if (row.size() < columns_.size()) {
      end_line(line + row[0]);
      continue;
    }
    for (std::size_t i : shown) {
      if (i == last && wraps) break;
      line +=
          columns_[i] == Align::left ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
      if (i != last) line += "  ";
    }
    if (!wraps) {
      end_line(line);
      continue;
    }
    for (const std::string& part : wrap(row[last], std::max(width - before, 1))) {
      end_line(line + part);
      line = std::string(before, ' ');
    }
  }
  return text;
}

std::string escape_markup(const std::string& text) {
  std::string result;
  for (const std::string& character : characters(visible(text)))
    result += character == "&"    ? "&amp;"
              : character == "<"  ? "&lt;"
              : character == ">"  ? "&gt;"
              : character == "\"" ? "&quot;"
              // U+FFFE and U+FFFF, which visible() keeps and XML forbids
              : character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf" ? "\xef\xbf\xbd"
                                                                           : character;
  return result;
}

}  // namespace tapehead
