#pragma once
#include "gradcheck.hpp"

namespace tapehead {

/// The error of finite differences as a function of their step h: V-shaped on logarithmic axes. As
/// h decreases, the truncation error (h^order times a higher derivative) falls, and the rounding
/// error (the rounding error of f divided by h) grows.
struct StepCurve {
  int order = 4;
  std::vector<double> steps = {};   ///< from 1e-1 down to 1e-12, three per factor of 10
  std::vector<double> errors = {};  ///< largest relative error of `gradcheck` with each step
  std::size_t best = 0;             ///< index of the smallest error
  /// Slopes of log(error) over log(step), for steps above and below the best one. NaN if fewer than
  /// three errors are large enough for a fit, for example without truncation error.
  double truncation = 0, rounding = 0;
};

/// Measures the curve for differences of order 4 or 2. Ignores the tolerance and step of `options`.
StepCurve step_curve(const Function& f, const std::vector<Tensor>& inputs, int order,
                     GradcheckOptions options = {});

}  // namespace tapehead
