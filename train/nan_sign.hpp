#pragma once
#include <cmath>

namespace tapehead {

/// Returns x, with NaN made positive: x86 computes NaN with its sign bit set, which prints as -nan.
inline double without_nan_sign(double x) { return std::isnan(x) ? std::abs(x) : x; }

}  // namespace tapehead
