#include "live_lines.hpp"
#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace tapehead {
namespace {

/// Zeros if standard output is not a terminal.
winsize size_of_output() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

LiveLines::~LiveLines() {
  if (drawn()) show_output("\n");
}

void LiveLines::draw(const std::string& lines) {
  const winsize size = size_of_output();
  const int columns = size.ws_col > 0 ? size.ws_col : terminal_.width;
  std::string text = away();
  drawn_ = 0;
  for (std::size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
    if (size.ws_row > 0 && drawn_ == size.ws_row) break;
    if (drawn_++ > 0) text += '\n';
    text += shorten(lines.substr(at, end - at), columns - 1);
  }
  show_output(text);
}

void LiveLines::erase() {
  if (drawn()) show_output(away());
  drawn_ = 0;
}

Terminal LiveLines::terminal() const {
  Terminal now = terminal_;
  if (const int columns = size_of_output().ws_col; columns > 0) now.width = std::max(columns, 20);
  return now;
}

std::string LiveLines::away() const {
  return "\r" + (drawn_ > 1 ? fmt::format("\x1b[{}A", drawn_ - 1) : "") + "\x1b[J";
}

}  // namespace tapehead
