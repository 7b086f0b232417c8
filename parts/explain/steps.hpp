#pragma once
// The steps of a tape that an expression or a model recorded, with what is known about each.
#include "../../core/checks/difference.hpp"
#include "../../core/recording.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tapehead {

struct ExplainedStep : RecordedStep {
  /// In a model `blocks.0.attention/softmax.2`, a parameter's path, or `constant`. In an expression
  /// the name of the variable or op, or the text of a number.
  std::string name;
  bool parameter = false;        ///< a parameter of the model
  std::string backward_formula;  ///< backward formula of the op, with the expression's names
  std::string note;              ///< a special case: a kink, a pole, saturation
  Tensor tangent;                ///< derivative along the requested direction; null without one
  /// The gradient by central differences: NaN for an element that wasn't moved; null if none was
  /// taken.
  Tensor difference;
  std::map<Index, Difference> kinks;  ///< elements at a kink, and the one-sided derivatives
};

/// What one use of a step's value contributes to its gradient; the gradient is the sum of these.
struct Contribution {
  std::size_t step;    ///< the step that uses the value
  std::size_t input;   ///< which of its inputs the value is
  Tensor gradient;     ///< in the value's shape
  std::string summed;  ///< `axis 0`: the axes summed over, if the value was broadcast
};

struct Explained {
  std::vector<ExplainedStep> steps;
  /// Runs a step's backward function: returns its inputs' gradients for this gradient of its
  /// result.
  std::function<Grads(std::size_t step, const Tensor& dy)> vjp;

  std::vector<std::string> norms;  ///< norm modules that are recorded in primitive ops

  /// Returns the contributions to a step's gradient, in the order of the steps.
  std::vector<Contribution> contributions(std::size_t to) const;
};

/// Formats one element, or the root mean square of several; only mentions non-finite elements.
std::string summary(const Tensor& x);

/// Returns one at an element and zero elsewhere.
Tensor one_hot_like(const Tensor& x, Index element);

}  // namespace tapehead
