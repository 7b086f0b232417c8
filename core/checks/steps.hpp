#pragma once
#include "gradcheck.hpp"

namespace tapehead {

/// How far difference quotients are from the gradient, for smaller and smaller steps h: a V on
/// logarithmic axes. Truncation, h^order times a higher derivative, falls with the step; rounding,
/// the precision of f over h, grows.
struct StepCurve {
  int order = 4;
  std::vector<double> steps = {};   ///< from 1e-1 down to 1e-12, three a decade
  std::vector<double> errors = {};  ///< the largest relative one of a `gradcheck` with that step
  std::size_t best = 0;             ///< where the error is least: the two meet
  /// Slopes of the logarithm of the error over that of the step, on the sides of larger and of
  /// smaller steps; NaN where there are too few errors above the least, as for a function without
  /// truncation.
  double truncation = 0, rounding = 0;
};

/// `order` is that of the differences, 4 or 2. The tolerance and the step of the options aren't
/// used.
StepCurve step_curve(const Function& f, const std::vector<Tensor>& inputs, int order,
                     GradcheckOptions options = {});

}  // namespace tapehead
