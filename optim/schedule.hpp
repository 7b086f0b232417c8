#pragma once
#include <tapehead/core/shape.hpp>

namespace tapehead {

/// Learning rate over the steps: linear from 0 to `lr` over `warmup` steps, then half a cosine down
/// to `min_lr` at step `steps`, where it stays.
struct Schedule {
  double lr = 1e-3, min_lr = 0;
  Index warmup = 0, steps = 0;

  double operator()(Index step) const;  ///< step counts from 0
};

}  // namespace tapehead
