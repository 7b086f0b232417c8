#pragma once
// The steps of a tape that an expression or a model recorded, with names, formulas and notes.
#include "../../core/checks/difference.hpp"
#include "../../core/recording.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tapehead {

/// A recorded step with its name, backward formula and notes.
struct ExplainedStep : RecordedStep {
  /// In a model `blocks.0.attention/softmax.2`, a parameter's path, or `constant`. In an expression
  /// the name of the variable or op, or the text of a number.
  std::string name;
  bool parameter = false;        ///< a parameter of the model
  std::string backward_formula;  ///< backward formula of the op, with the expression's names
  std::string note;              ///< a special case: a kink, a pole, saturation
  Tensor tangent;                ///< derivative along the requested direction; null without one
  /// The gradient by central differences; NaN for an element that wasn't perturbed. Null if no
  /// element was.
  Tensor difference;
  std::map<Index, Difference> kinks;  ///< elements at a kink, and the one-sided derivatives
};

/// The contribution of one use of a step's value to its gradient, which is the sum of these.
struct Contribution {
  std::size_t step;    ///< the step that uses the value
  std::size_t input;   ///< the index of the value among its inputs
  Tensor gradient;     ///< in the value's shape
  std::string summed;  ///< `axis 0`: the axes summed over, if the value was broadcast
};

/// The steps of a tape, with the means to explain their gradients.
struct Explained {
  std::vector<ExplainedStep> steps;
  /// Runs a step's backward function: returns the gradients of its inputs, given the gradient of
  /// its result.
  std::function<Grads(std::size_t step, const Tensor& dy)> vjp;

  std::vector<std::string> norms;  ///< norm modules that are recorded in primitive ops

  /// Returns the contributions to a step's gradient, in the order of the steps.
  std::vector<Contribution> contributions(std::size_t to) const;
};

/// Formats one element, or the root mean square of several. If elements are non-finite, says only
/// that.
std::string summary(const Tensor& x);

/// Returns a tensor like x with 1 at an element and 0 elsewhere.
Tensor one_hot_like(const Tensor& x, Index element);

}  // namespace tapehead
