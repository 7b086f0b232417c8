#pragma once
// Timing helpers.
#include <algorithm>
#include <chrono>
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

/// Returns the median: the mean of the middle two for an even number of values, 0 for none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace tapehead
