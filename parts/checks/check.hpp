#pragma once
// Checks gradients by finite differences at sample inputs, and compares fused ops with their
// decompositions, for `tapehead gradcheck` and the tests.
#include "../../core/checks/gradcheck.hpp"
#include "../../train/config/registry.hpp"
#include "samples/samples.hpp"

namespace tapehead {

/// A call of an op with a sample's arguments, as a function of the sample's inputs.
struct SampleCall {
  std::vector<Tensor> inputs;
  Function f;
  /// The same function, computed with the op's decomposition into other ops. Null unless the op is
  /// fused.
  std::optional<Function> decomposition;
};
SampleCall make_call(const Op& op, const OpSample& sample);

/// One comparison at one sample. `sample` is the sample's name, empty if there is only one sample.
/// If the op is compared with its decomposition, `result.analytic` is the op's value,
/// `result.numeric` is the decomposition's value, and `result.output` is the number of the element.
struct Check {
  enum class Kind { gradient, second, decomposition_value, decomposition_gradient } kind;
  std::string sample;
  GradcheckResult result;
};
const char* to_string(Check::Kind kind);
/// Formats the comparison in one line, as in `a row broadcast over a matrix, second gradient: input
/// 1 element 7: backward 0.5`.
std::string to_string(const Check& check);

/// All comparisons of an op or layer.
struct CheckReport {
  std::string name;
  std::vector<Check> checks;

  bool passed() const;
  const Check& worst() const;  ///< the largest error; failed first-order gradients come first
};

/// Checks the first-order and second-order gradients of an op at every sample. Compares a fused op
/// with its decomposition: values must agree within 1e-12, gradients within 1e-10
/// (relative, or absolute below 1).
CheckReport check(const Op& op, const std::vector<OpSample>& samples,
                  const GradcheckOptions& options = {});

/// A layer, in f64 and in training mode, as a function of its parameters and of its input (not of
/// ids). Every call uses the same dropout mask. Must not be moved.
struct LayerFunction {
  explicit LayerFunction(const LayerEntry& entry);

  std::unique_ptr<Module> layer;
  std::vector<Tensor> inputs;  ///< parameters and input, with values typical of a trained layer
  GradcheckOptions options;    ///< the entry's options, with the names of the inputs
  Function f;
};
/// Checks the gradients of a layer's input and of every parameter. Also checks second-order
/// gradients, unless the entry gives a reason against it.
CheckReport check_layer(const LayerEntry& entry);

}  // namespace tapehead
