#pragma once
#include <chrono>

namespace tapehead {

class Stopwatch {
 public:
  /// Since it was constructed.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace tapehead
