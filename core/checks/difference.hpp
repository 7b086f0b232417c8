#pragma once
#include <functional>

namespace tapehead {

/// A finite-difference estimate of a function's slope at 0. At a kink, `left` and `right` are the
/// one-sided slopes.
struct Difference {
  double slope = 0;
  bool kink = false;
  double left = 0, right = 0;
};

/// Estimates f'(0) by fourth-order central differences, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) /
/// 12h. Halves h until the estimate changes no more than rounding explains, so a kink or pole
/// within the first 2h does no harm. If the estimate doesn't settle, starts again from h = size /
/// 1000, where `size` is the magnitude of the perturbed input. `rounding` is the largest rounding
/// error of f.
Difference difference(const std::function<double(double)>& f, double h, double size,
                      double rounding);

}  // namespace tapehead
