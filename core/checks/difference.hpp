#pragma once
#include <functional>

namespace tapehead {

/// The slope of a function at 0 by finite differences; at a kink, also the slopes on both sides.
struct Difference {
  double slope = 0;
  bool kink = false;
  double left = 0, right = 0;
};

/// Computes fourth-order central differences, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h. Halves h
/// until the result changes no more than rounding explains; this handles kinks and poles nearer
/// than 2h. If halving isn't enough, uses a thousandth of `size`, the magnitude of the input that f
/// moves. `rounding` is the possible rounding error of f.
Difference difference(const std::function<double(double)>& f, double h, double size,
                      double rounding);

}  // namespace tapehead
