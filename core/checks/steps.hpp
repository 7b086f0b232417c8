#pragma once
#include "gradcheck.hpp"

namespace tapehead {

/// The error of finite differences as a function of their step h: a V on logarithmic axes. As h
/// decreases, the truncation error (h^order times a higher derivative) falls, and the rounding
/// error (the precision of f divided by h) grows.
struct StepCurve {
  int order = 4;
  std::vector<double> steps = {};   ///< from 1e-1 down to 1e-12, three per decade
  std::vector<double> errors = {};  ///< largest relative error of a `gradcheck` with that step
  std::size_t best = 0;             ///< index of the smallest error
  /// Slopes of log(error) over log(step), for steps above and below the best one. NaN if too few
  /// errors are above the smallest, as without truncation error.
  double truncation = 0, rounding = 0;
};

/// Measures the curve for differences of order 4 or 2. Ignores the tolerance and step of `options`.
StepCurve step_curve(const Function& f, const std::vector<Tensor>& inputs, int order,
                     GradcheckOptions options = {});

}  // namespace tapehead
