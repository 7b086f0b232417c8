#pragma once
// `gradcheck NAME --steps`: plots the error of finite differences as a function of their step h,
// which is V-shaped.
#include "../../core/checks/steps.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "samples/samples.hpp"

namespace tapehead {

struct StepCurves {
  std::string title;  ///< the function, as in `exp, three numbers`
  StepCurve plain;    ///< error of (f(x+h) - f(x-h)) / 2h
  StepCurve fine;     ///< error of the fourth-order difference that `gradcheck` uses
};
StepCurves step_curves(const std::string& title, const Function& f,
                       const std::vector<Tensor>& inputs, const GradcheckOptions& options);
StepCurves step_curves_of_layer(const LayerEntry& entry);
/// Computes both curves at the op's first failing sample, or at its first sample if none fails.
/// Throws UsageError if the op has no samples, because it has no gradient.
StepCurves step_curves_of_op(const Op& op, const std::vector<OpSample>& samples);

/// Plots both curves on logarithmic axes in at most `width` columns, and explains them.
std::string step_text(const StepCurves& curves, int width);
Json to_json(const StepCurves& curves);

}  // namespace tapehead
