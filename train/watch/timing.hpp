#pragma once
// Timing helpers.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace tapehead {

class Stopwatch {
 public:
  /// Returns the seconds since construction.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Measures the processor time of this process, which other programs on the machine don't affect.
class ProcessorStopwatch {
 public:
  /// Returns the seconds since construction.
  double seconds() const {
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

/// Returns the median: the mean of the middle two for an even number of values, 0 for none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace tapehead
