#pragma once
#include <tapehead/cli/terminal.hpp>

#include <chrono>

namespace tapehead {

/// Says how far something has come that may take long: on a live terminal, once it has taken
/// `patience` seconds, in one line that is gone at the end.
class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::string what, double patience = 2)
      : terminal_(terminal), what_(std::move(what)), patience_(patience) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(double share);

 private:
  using Clock = std::chrono::steady_clock;
  const Terminal terminal_;
  const std::string what_;
  const double patience_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_;
  bool drawn_ = false;
};

}  // namespace tapehead
