#pragma once
#include <functional>

namespace tapehead {

/// The slope of a function at 0, estimated by finite differences; at a kink, also the one-sided
/// slopes.
struct Difference {
  double slope = 0;
  bool kink = false;
  double left = 0, right = 0;
};

/// Estimates f'(0) by fourth-order central differences, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) /
/// 12h. Halves h until the result changes no more than rounding explains, so that a kink or pole
/// within 2h does no harm. If it doesn't settle, starts again from a thousandth of `size`, the
/// magnitude of the perturbed input. `rounding` is the largest rounding error of f.
Difference difference(const std::function<double(double)>& f, double h, double size,
                      double rounding);

}  // namespace tapehead
