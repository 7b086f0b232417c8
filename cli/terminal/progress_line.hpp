#pragma once
#include "terminal.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tapehead {

/// The last lines on a live terminal, redrawn in place and cut to its current width and height.
class LiveLines {
 public:
  explicit LiveLines(const Terminal& terminal) : terminal_(terminal) {}
  /// Leaves the cursor after the drawn lines.
  ~LiveLines();
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// Replaces the drawn lines. Each line ends with a newline.
  void draw(const std::string& lines);
  void erase();
  bool drawn() const { return !drawn_.empty(); }
  /// Returns the terminal with its current width.
  Terminal terminal() const;

 private:
  /// Returns the escape sequences that erase the lines.
  std::string away() const;

  const Terminal terminal_;
  std::vector<int> drawn_;  // widths of the lines on the screen; the cursor is in the last one
};

/// Shows the progress of a long operation: on a live terminal, after `patience` seconds, in one
/// line that is erased at the end.
class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::string what, double patience = 2)
      : live_(terminal.live), line_(terminal), what_(std::move(what)), patience_(patience) {}
  ~ProgressLine() { clear(); }

  void operator()(double share);
  /// Erases the line; the next update draws it again.
  void clear() { line_.erase(); }

 private:
  using Clock = std::chrono::steady_clock;
  const bool live_;
  LiveLines line_;
  const std::string what_;
  const double patience_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_;
};

}  // namespace tapehead
