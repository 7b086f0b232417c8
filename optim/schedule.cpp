#include "schedule.hpp"
#include "../core/kernels/functions/angles.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

double part(Index done, Index of) { return static_cast<double>(done) / static_cast<double>(of); }

}  // namespace

double Schedule::operator()(Index step) const {
  if (step < warmup) return lr * part(step + 1, warmup + 1);
  if (kind == Kind::constant) return lr;
  if (step >= steps) return min_lr;
  if (kind == Kind::cosine) {
    const double cosine = kernel::cos(3.141592653589793 * part(step - warmup, steps - warmup));
    return min_lr + 0.5 * (1 + cosine) * (lr - min_lr);
  }
  const Index falling =
      kind == Kind::linear ? steps : std::llround(decay * static_cast<double>(steps));
  const Index top = std::max(warmup, steps - falling);  // the last step whose rate is `lr`
  return step <= top ? lr : min_lr + part(steps - step, steps - top) * (lr - min_lr);
}

}  // namespace tapehead
