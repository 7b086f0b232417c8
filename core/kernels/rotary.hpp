#pragma once
#include "../shape.hpp"

namespace tapehead {

/// Sequences (batch, time, columns) whose first `heads` heads of `width` columns are rotated: see
/// `rotary` in core/ops.hpp.
struct RotaryRows {
  Index batch, time, columns, heads, width;
  Index first;  ///< the position of the first element along time
  double base;
  bool back;  ///< rotates by the opposite angle, as backward does
};

}  // namespace tapehead
