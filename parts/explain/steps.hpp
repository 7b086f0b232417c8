#pragma once
// What is known of each step of a tape, whether an expression or a model recorded it.
#include "../../core/checks/difference.hpp"
#include "../../core/recording.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tapehead {

struct ExplainedStep : RecordedStep {
  /// `blocks.0.attention/softmax.2`; of a parameter its own path, of another tensor that no op made
  /// `constant`. In an expression that of the variable or op, or a number as it was written.
  std::string name;
  bool parameter = false;        ///< of a model
  std::string backward_formula;  ///< of the op's gradient, in the words of an expression
  std::string note;              ///< what is special about the values: a kink, a pole, saturation
  Tensor tangent;  ///< of the value, along the direction that was asked for; null without one
  /// The gradient by central differences, where they were taken: NaN for an element that wasn't
  /// moved, null for none at all.
  Tensor difference;
  std::map<Index, Difference> kinks;  ///< elements that lie on one, and the slopes on its sides
};

/// What one use of a step's value sends back to it. A gradient is the sum of these.
struct Contribution {
  std::size_t step;    ///< that uses the value
  std::size_t input;   ///< as which of its inputs
  Tensor gradient;     ///< in the value's shape
  std::string summed;  ///< `axis 0`: over what it was summed, where the value was broadcast
};

struct Explained {
  std::vector<ExplainedStep> steps;
  /// What a step's rule gives its inputs for any gradient of its result.
  std::function<Grads(std::size_t step, const Tensor& dy)> vjp;

  std::vector<std::string> norms;  ///< modules that are norms, recorded in primitive ops

  /// In the order of the steps.
  std::vector<Contribution> contributions(std::size_t to) const;
};

/// The element, or the root mean square of several; those that aren't finite are only mentioned.
std::string summary(const Tensor& x);

/// One at an element, zero elsewhere.
Tensor one_hot_like(const Tensor& x, Index element);

}  // namespace tapehead
