#include "difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

/// The values f(step) and f(-step) for one step.
struct Sides {
  double above, below;
};
double slope_of(const Sides& near, const Sides& far, double h) {
  return (8 * (near.above - near.below) - (far.above - far.below)) / (12 * h);
}

}  // namespace

Difference difference(const std::function<double(double)>& f, double h, double size,
                      double rounding) {
  constexpr int most_halvings = 24;  // at 2^-24 = 6e-8 of the first step, rounding dominates
  const auto at = [&](double step) { return Sides{f(step), f(-step)}; };
  const double here = f(0);
  Difference best;
  double least = std::numeric_limits<double>::infinity();  // smallest change of the slope so far

  const auto settles = [&](double step) {
    Sides far = at(2 * step), near = at(step);
    if (std::isinf(least)) best.slope = slope_of(near, far, step);
    for (int i = 0; i < most_halvings; ++i, step /= 2) {
      const Sides half = at(step / 2);
      const double slope = slope_of(near, far, step), next = slope_of(half, near, step / 2);
      const double change = std::abs(next - slope), noise = 16 * rounding / step;
      const bool settled = std::isfinite(change) &&
                           change <= 1e-8 * std::max(std::abs(slope), std::abs(next)) + noise;
      if (settled || change < least) {
        least = change;
        best = {slope, false, (here - half.below) / (step / 2), (half.above - here) / (step / 2)};
        // For a smooth f, halving the step halves the difference of the left and right slopes.
        const double apart = std::abs(best.right - best.left);
        const double before = std::abs(near.above - 2 * here + near.below) / step;
        best.kink = apart > 0.8 * before &&
                    apart > 1e-6 * std::max(std::abs(best.left), std::abs(best.right)) + 8 * noise;
      }
      if (settled) return true;
      far = near;
      near = half;
    }
    return false;
  };
  if (!settles(h) && 0 < size && 1e-3 * size < h) settles(1e-3 * size);
  return best;
}

}  // namespace tapehead
