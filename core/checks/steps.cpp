#include "steps.hpp"
#include "../ops.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Fits a line to log(error) over log(step), for the steps on one side of the best step, and
/// returns the slope of the line. Skips relative errors above 0.1, and errors near the smallest
/// one, which are mostly noise.
double slope_of(const StepCurve& curve, int direction) {
  const double lowest = 10 * std::max(curve.errors[curve.best], 1e-16);
  const auto count = static_cast<int>(curve.steps.size());
  std::vector<double> steps, errors;
  for (int i = static_cast<int>(curve.best); i >= 0 && i < count; i += direction) {
    if (curve.errors[i] < lowest || curve.errors[i] > 0.1) continue;
    steps.push_back(curve.steps[i]);
    errors.push_back(curve.errors[i]);
  }
  if (steps.size() < 3) return std::nan("");
  const Tensor x = log(tensor(steps, DType::f64)), y = log(tensor(errors, DType::f64));
  const Tensor from_mean = x - mean(x);
  return (sum(from_mean * y) / sum(from_mean * from_mean)).item();
}

}  // namespace

StepCurve step_curve(const Function& f, const std::vector<Tensor>& inputs, int order,
                     GradcheckOptions options) {
  options.order = order;
  options.tolerance = infinity;  // accept any error
  options.culprit = options.forward = false;
  StepCurve curve{order};
  // The values of 10^(-i/3), written as constants so that they are bitwise identical on all
  // machines.
  constexpr double thirds[] = {1, 0.46415888336127786, 0.21544346900318834};
  double power = 0.1;
  for (int i = 0; i < 34; ++i) {
    options.step = power * thirds[i % 3];
    if (i % 3 == 2) power /= 10;
    curve.steps.push_back(options.step);
    curve.errors.push_back(gradcheck(f, inputs, options).error);
    if (curve.errors.back() < curve.errors[curve.best]) curve.best = curve.errors.size() - 1;
  }
  curve.truncation = slope_of(curve, -1);
  curve.rounding = slope_of(curve, 1);
  return curve;
}

}  // namespace tapehead
