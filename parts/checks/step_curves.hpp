#pragma once
// `gradcheck NAME --steps`: the error of difference quotients over their step, as a V.
#include "../../core/checks/steps.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "samples/samples.hpp"

namespace tapehead {

struct StepCurves {
  std::string title;  ///< what was differentiated: `exp, three numbers`
  StepCurve plain;    ///< of (f(x+h) - f(x-h)) / 2h
  StepCurve fine;     ///< of order 4, as `gradcheck` uses it
};
StepCurves step_curves(const std::string& title, const Function& f,
                       const std::vector<Tensor>& inputs, const GradcheckOptions& options);
StepCurves step_curves_of_layer(const LayerEntry& entry);
/// Of the op's first sample that fails; if none does, of its first. Throws UsageError if it has no
/// gradient, and so no samples.
StepCurves step_curves_of_op(const Op& op, const std::vector<OpSample>& samples);

/// Both on logarithmic axes, in at most `width` columns, with what there is to see in them.
std::string step_text(const StepCurves& curves, int width);
Json to_json(const StepCurves& curves);

}  // namespace tapehead
