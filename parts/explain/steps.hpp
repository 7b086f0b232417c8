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
  /// In a model, `blocks.0.attention/softmax.2` for an op, a parameter's path, or `constant`. In an
  /// expression, the name of a variable or op, or the digits of a number.
  std::string name;
  bool parameter = false;        ///< a parameter of the model
  std::string backward_formula;  ///< the op's backward formula, with the expression's names
  std::string note;              ///< describes a special case: a kink, a pole or saturation
  Tensor tangent;                ///< derivative along the requested direction; null without one
  /// The gradient by central differences; NaN for elements that weren't perturbed, null if none
  /// was.
  Tensor difference;
  std::map<Index, Difference> kinks;  ///< one-sided derivatives of each element at a kink
};

/// One term of the gradient of a step's value: the gradient from one use of the value.
struct Contribution {
  std::size_t step;    ///< the step that uses the value
  std::size_t input;   ///< the input of that step that is the value
  Tensor gradient;     ///< in the value's shape
  std::string summed;  ///< the axes summed over if the value was broadcast, as in `axis 0`
};

/// The steps of a tape, and the functions that explain their gradients.
struct Explained {
  std::vector<ExplainedStep> steps;
  /// Runs a step's backward function: returns the gradients of its inputs, given the gradient of
  /// its result.
  std::function<Grads(std::size_t step, const Tensor& dy)> vjp;

  std::vector<std::string> norms;  ///< paths of norm modules that are recorded in primitive ops

  /// Returns the terms of a step's gradient, in the order of the steps that use its value.
  std::vector<Contribution> contributions(std::size_t to) const;
};

/// Formats a scalar, or the root mean square of several elements. Appends `inf` if some of several
/// are infinite or NaN.
std::string summary(const Tensor& x);

/// Returns a tensor like x with 1 at this element and 0 elsewhere.
Tensor one_hot_like(const Tensor& x, Index element);

}  // namespace tapehead
