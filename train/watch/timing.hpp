#pragma once
// How long something takes.
#include <algorithm>
#include <chrono>
#include <vector>

namespace tapehead {

class Stopwatch {
 public:
  /// Since it was constructed.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The median: for an even number of values the mean of the middle two, for none 0.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace tapehead
