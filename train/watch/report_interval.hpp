#pragma once
#include "../config/config.hpp"

#include <algorithm>

namespace tapehead {

/// Returns the number of steps from one line of metrics to the next, apart from the lines of
/// evaluations, of stops, and of steps that take long.
inline Index report_interval(const TrainConfig& config) {
  if (config.log_every > 0) return config.log_every;
  return std::max<Index>((config.steps + 50) / 100, 1);
}

}  // namespace tapehead
