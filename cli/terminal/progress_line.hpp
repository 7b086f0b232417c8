#pragma once
#include "live_lines.hpp"

#include <chrono>

namespace tapehead {

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
