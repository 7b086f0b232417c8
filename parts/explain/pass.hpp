#pragma once
// One example on its way through a trained model, forward and backward.
#include "../../core/tape.hpp"
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"
#include "steps.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// An example's forward and backward pass in f64, fused ops as the primitive ops they stand for.
struct ExplainedPass : Explained {
  std::string question, answer;  ///< as the task writes them
  double loss = 0;               ///< mean over the targets, in nats
  /// The step of that name. Throws UsageError with the nearest one.
  std::size_t find(const std::string& name) const;
};

/// A held-out example as it is explained: of a text only its beginning, every token of which but
/// the first is an answer. Throws UsageError, which names --example, where there is none of that
/// number.
Example explained_example(const LoadedRun& run, Index number);

/// Converts the model to f64 and runs the example through it, without dropout.
ExplainedPass explain_pass(LoadedRun& run, const Example& example);

/// Measures the gradients of the pass by central differences of fourth order: the example goes
/// through the model again with one element moved, for those elements of each step whose gradients
/// are the largest. About as many as `work` passes through a tape of a million elements can tell.
void measure(LoadedRun& run, const Example& example, ExplainedPass& pass, double work);

/// The steps as a table, by module: shapes, and the root mean square of values and gradients.
std::string pass_text(const ExplainedPass& pass, int width);
/// `blocks.0.attention/softmax[0, 1, 3, 2]`: how an element was computed, from which, and where its
/// gradient came from, term by term. Throws UsageError for a wrong path or index.
std::string element_text(const ExplainedPass& pass, const std::string& element, int width);
Json to_json(const ExplainedPass& pass);

}  // namespace tapehead
