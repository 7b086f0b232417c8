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
  /// The same function, computed by the decomposition of a fused op into other ops. Empty for ops
  /// that aren't fused.
  std::optional<Function> decomposition;
};
SampleCall make_call(const Op& op, const OpSample& sample);

/// One comparison for one sample, which has no name if it is the only one. For a decomposition,
/// `analytic` is a number of the op, `numeric` is the decomposition's, and `output` is its element.
struct Check {
  enum class Kind { gradient, second, decomposition_value, decomposition_gradient } kind;
  std::string sample;
  GradcheckResult result;
};
const char* to_string(Check::Kind kind);
/// Formats one line, as in `second, a row broadcast over a matrix: input 1 element 7: backward
/// 0.5`.
std::string to_string(const Check& check);

/// The checks of an op or layer.
struct CheckReport {
  std::string name;
  std::vector<Check> checks;

  bool passed() const;
  const Check& worst() const;  ///< the comparison nearest to failing, or the first failing kind
};

/// Checks the first-order and second-order gradients at every sample, and a fused op's
/// decomposition. Values of a decomposition must agree within 1e-12 and its gradients within 1e-10
/// (relative, or absolute below 1).
CheckReport check(const Op& op, const std::vector<OpSample>& samples,
                  const GradcheckOptions& options = {});

/// A layer as a function of its parameters and, unless it is ids, its input, in f64 and in training
/// mode. Dropout is active and the same in every call. Must not be moved.
struct LayerFunction {
  explicit LayerFunction(const LayerEntry& entry);

  std::unique_ptr<Module> layer;
  std::vector<Tensor> inputs;  ///< values typical of a trained layer
  GradcheckOptions options;    ///< the entry's options, with names for the inputs
  Function f;
};
/// Checks the gradients of a layer's input and of every parameter, and second-order gradients
/// unless the entry gives a reason not to.
CheckReport check_layer(const LayerEntry& entry);

}  // namespace tapehead
