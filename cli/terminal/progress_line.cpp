#include "progress_line.hpp"
#include "../../core/system/terminal.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

LiveLines::~LiveLines() {
  if (drawn()) show_output("\n");
}

void LiveLines::draw(const std::string& lines) {
  const auto rows = static_cast<std::size_t>(system::terminal_size().rows);
  const int columns = terminal().width;
  std::string text = away();
  drawn_.clear();
  for (std::size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
    if (rows > 0 && drawn_.size() == rows) break;
    if (!drawn_.empty()) text += '\n';
    const std::string line = shorten(lines.substr(at, end - at), columns - 1);
    drawn_.push_back(display_width(line));
    text += line;
  }
  show_output(text);
}

void LiveLines::erase() {
  if (drawn()) show_output(away());
  drawn_.clear();
}

Terminal LiveLines::terminal() const {
  Terminal now = terminal_;
  if (const int columns = system::terminal_size().columns; columns > 0)
    now.width = std::max(columns, 20);
  return now;
}

// Counts wrapped rows, because a narrower window wraps each line into several.
std::string LiveLines::away() const {
  const int columns = terminal().width;
  int rows = -1;  // rows above the cursor
  for (const int width : drawn_) rows += std::max(1, (width + columns - 1) / columns);
  return "\r" + (rows > 0 ? fmt::format("\x1b[{}A", rows) : "") + "\x1b[J";
}

void ProgressLine::operator()(double share) {
  const auto now = Clock::now();
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const double spent = since(start_);
  if (!live_ || spent < patience_ || (line_.drawn() && since(last_draw_) < 0.1)) return;
  std::string line = fmt::format("{} {:3.0f} %", what_, 100 * std::min(share, 1.0));
  if (share > 0) line += fmt::format("  {} left", clock_time(spent / share * (1 - share)));
  line_.draw(line + '\n');
  last_draw_ = now;
}

}  // namespace tapehead
