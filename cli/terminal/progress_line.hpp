#pragma once
#include "terminal.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tapehead {

/// The last lines on a live terminal, which are redrawn in place. They are cut to the terminal's
/// current width and height.
class LiveLines {
 public:
  explicit LiveLines(const Terminal& terminal) : terminal_(terminal) {}
  /// Leaves the cursor after what it has drawn.
  ~LiveLines();
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// Replaces what was drawn before. Each line ends with a newline.
  void draw(const std::string& lines);
  void erase();
  bool drawn() const { return !drawn_.empty(); }
  /// The terminal with its current width.
  Terminal terminal() const;

 private:
  /// The text that erases the lines.
  std::string away() const;

  const Terminal terminal_;
  std::vector<int> drawn_;  // widths of the lines on the screen; the cursor is in the last one
};

/// Says how far something that may take long has come: on a live terminal, once it has taken
/// `patience` seconds, in one line that is gone at the end.
class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::string what, double patience = 2)
      : live_(terminal.live), line_(terminal), what_(std::move(what)), patience_(patience) {}
  ~ProgressLine() { clear(); }

  void operator()(double share);
  /// Makes room for other lines; the next share draws it again.
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
