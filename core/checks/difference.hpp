#pragma once
#include <functional>

namespace tapehead {

/// The slope of a function at 0, by finite differences, and where it has a kink there, the slopes
/// on its two sides.
struct Difference {
  double slope = 0;
  bool kink = false;
  double left = 0, right = 0;
};

/// Central differences of fourth order, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h. The step is
/// halved until that changes no more than rounding explains, as it does where a kink or a pole is
/// nearer than 2h. `size` is that of the number that f moves: if halving isn't enough, the step
/// becomes a thousandth of it. `rounding` is how far f's values may be off.
Difference difference(const std::function<double(double)>& f, double h, double size,
                      double rounding);

}  // namespace tapehead
