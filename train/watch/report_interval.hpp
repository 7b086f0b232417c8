#pragma once
#include "../config/config.hpp"

#include <algorithm>

namespace tapehead {

/// Training writes a line of metrics each so many steps, apart from those of evaluations.
inline Index report_interval(const TrainConfig& config) {
  return std::max<Index>((config.steps + 50) / 100, 1);
}

}  // namespace tapehead
