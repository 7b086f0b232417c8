#pragma once
// One example on its way through a trained model, forward and backward.
#include "../../core/checks/recording.hpp"
#include "../../core/tape.hpp"
#include "../../train/runs/json.hpp"
#include "../../train/trainer.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// A recorded step with a name.
struct NamedStep : RecordedStep {
  std::string path;  ///< `blocks.0.attention/softmax`, `blocks.0.attention/matmul.2`, or of a
                     ///< parameter its own; of another tensor that no op made, `constant`
  bool parameter = false;
};

/// An example's forward and backward pass in f64, fused ops as the primitive ops they stand for.
struct ExplainedPass {
  std::string question, answer;  ///< as the task writes them
  double loss = 0;               ///< mean over the targets, in nats
  std::vector<NamedStep> steps;
  /// What a step's rule gives its inputs for any gradient of its result.
  Grads rule(int step, const Tensor& dy) const {
    return tape->differentiate(steps[step].value, dy);
  }
  /// The step of that path. Throws UsageError with the nearest one.
  int find(const std::string& path) const;

  std::unique_ptr<Tape> tape;  ///< which keeps the rules
};

/// Converts the model to f64 and runs the example through it, without dropout.
ExplainedPass explain_pass(LoadedRun& run, const Example& example);

/// The steps as a table, by module: shapes, and the root mean square of values and gradients.
std::string pass_text(const ExplainedPass& pass, int width);
/// `blocks.0.attention/softmax[0, 1, 3, 2]`: how an element was computed, from which, and where its
/// gradient came from, term by term. Throws UsageError for a wrong path or index.
std::string element_text(const ExplainedPass& pass, const std::string& element, int width);
Json to_json(const ExplainedPass& pass);

}  // namespace tapehead
