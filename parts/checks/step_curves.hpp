#pragma once
// `gradcheck NAME --steps`: plots the error of finite differences over their step h, a V-shaped
// curve.
#include "../../core/checks/steps.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "samples/samples.hpp"

namespace tapehead {

struct StepCurves {
  std::string title;  ///< the function: `exp, three numbers`
  StepCurve plain;    ///< for (f(x+h) - f(x-h)) / 2h
  StepCurve fine;     ///< for fourth order, as in `gradcheck`
};
StepCurves step_curves(const std::string& title, const Function& f,
                       const std::vector<Tensor>& inputs, const GradcheckOptions& options);
StepCurves step_curves_of_layer(const LayerEntry& entry);
/// Uses the op's first failing sample, or its first sample if none fails. Throws UsageError if the
/// op has no gradient, and so no samples.
StepCurves step_curves_of_op(const Op& op, const std::vector<OpSample>& samples);

/// Plots both curves on logarithmic axes in at most `width` columns, with an explanation.
std::string step_text(const StepCurves& curves, int width);
Json to_json(const StepCurves& curves);

}  // namespace tapehead
