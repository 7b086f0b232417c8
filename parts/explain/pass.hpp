#pragma once
// One example's forward and backward pass through a trained model.
#include "../../core/tape.hpp"
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"
#include "steps.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// An example's forward and backward pass in f64, with fused ops replaced by their decompositions.
struct ExplainedPass : Explained {
  std::string question, answer;  ///< as the task formats a prompt and its completion
  double loss = 0;               ///< mean over the targets, in nats
  /// Returns the number of the step with this name. Throws UsageError that suggests the nearest
  /// name.
  std::size_t find(const std::string& name) const;
};

/// Returns a validation example for `explain`. A plain text is cut to its beginning, and each token
/// after the first is a target. Throws UsageError if --example is out of range.
Example explained_example(const LoadedRun& run, Index number);

/// Converts the model to f64 and runs the example through it, without dropout.
ExplainedPass explain_pass(LoadedRun& run, const Example& example);

/// Measures the pass's gradients by fourth-order central differences: perturbs the elements of each
/// step that have the largest gradients, one at a time, and runs the example again. `work` limits
/// the total cost; one unit is a pass through a tape of a million elements.
void measure(LoadedRun& run, const Example& example, ExplainedPass& pass, double work);

/// Formats the steps as a table by module: shapes, and the root mean square of values and
/// gradients.
std::string pass_text(const ExplainedPass& pass, int width);
/// Explains one element, such as `blocks.0.attention/softmax[0, 1, 3, 2]`: lists the terms of its
/// value and of its gradient. Throws UsageError for a wrong step or index.
std::string element_text(const ExplainedPass& pass, const std::string& element, int width);
Json to_json(const ExplainedPass& pass);

}  // namespace tapehead
