#include "steps.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// The slope of the line through the points of one side, nearest to the best first: as far as the
/// errors stand out of the noise at the bottom, and are no larger than what is compared.
double slope_of(const StepCurve& curve, int direction) {
  const double lowest = 10 * std::max(curve.errors[curve.best], 1e-16);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  const auto count = static_cast<int>(curve.steps.size());
  for (int i = static_cast<int>(curve.best); i >= 0 && i < count; i += direction) {
    if (curve.errors[i] < lowest || curve.errors[i] > 0.1) continue;
    const double a = std::log(curve.steps[i]), b = std::log(curve.errors[i]);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return n < 3 ? std::nan("") : (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

StepCurve step_curve(const Function& f, const std::vector<Tensor>& inputs, int order,
                     GradcheckOptions options) {
  options.order = order;
  options.tolerance = infinity;  // all are wanted
  options.culprit = false;
  StepCurve curve{order};
  constexpr double thirds[] = {1, 0.46415888336127786, 0.21544346900318834};  // not by pow, whose
  double power = 0.1;  // last bit isn't the same on all machines
  for (int i = 0; i < 34; ++i) {
    options.step = power * thirds[i % 3];
    if (i % 3 == 2) power /= 10;
    const GradcheckResult result = gradcheck(f, inputs, options);
    curve.steps.push_back(options.step);
    curve.errors.push_back(result.error);
    if (curve.errors.size() > 1 && result.error >= curve.errors[curve.best]) continue;
    curve.best = curve.errors.size() - 1;
    curve.at_best = result;
  }
  curve.truncation = slope_of(curve, -1);
  curve.rounding = slope_of(curve, 1);
  return curve;
}

}  // namespace tapehead
