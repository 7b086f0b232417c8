#include <tapehead/optim/schedule.hpp>

#include <cmath>

namespace tapehead {

double Schedule::operator()(Index step) const {
  const auto part = [](Index done, Index of) {
    return static_cast<double>(done) / static_cast<double>(of);
  };
  if (step < warmup) return lr * part(step + 1, warmup + 1);
  if (step >= steps) return min_lr;
  const double cosine = std::cos(3.141592653589793 * part(step - warmup, steps - warmup));
  return min_lr + 0.5 * (1 + cosine) * (lr - min_lr);
}

}  // namespace tapehead
