#pragma once
// Compares the gradients of samples with finite differences, and fused ops with their
// decompositions: what `tapehead gradcheck` shows, and what the tests insist on.
#include "../../core/checks/gradcheck.hpp"
#include "../../train/config/registry.hpp"
#include "samples/samples.hpp"

namespace tapehead {

/// A call of an op with a sample's arguments, as a function of the sample's inputs.
struct SampleCall {
  std::vector<Tensor> inputs;
  Function f;
  /// By the op's decomposition; none unless the op has one, and so computes by kernels of its own
  /// what this computes by other ops.
  std::optional<Function> decomposition;
};
SampleCall make_call(const Op& op, const OpSample& sample);

/// One comparison for one sample, which has no name where there is only one. For a decomposition,
/// `analytic` is the op's number and `numeric` the decomposition's, and a value's position is in
/// `output` alone.
struct Check {
  enum class Kind { gradient, second, decomposition_value, decomposition_gradient } kind;
  std::string sample;
  GradcheckResult result;
};
const char* to_string(Check::Kind kind);
/// One line: `second, a row broadcast over a matrix: input 1 element 7: backward 0.5 ...`
std::string to_string(const Check& check);

struct CheckReport {
  std::string name;
  std::vector<Check> checks;

  bool passed() const;
  const Check& worst()
      const;  ///< nearest to failing, or the first kind that fails; there must be one
};

/// Checks every sample: its gradient, the gradient of that, and a fused op's decomposition, whose
/// values must agree within 1e-12 and whose gradients within 1e-10, relative or absolute below 1.
CheckReport check(const Op& op, const std::vector<OpSample>& samples,
                  const GradcheckOptions& options = {});

/// A layer as a function of its parameters and, where it isn't ids, its input, in f64 and in
/// training mode: dropout is active, and the same in every call. It must not move.
struct LayerFunction {
  explicit LayerFunction(const LayerEntry& entry);

  std::unique_ptr<Module> layer;
  std::vector<Tensor> inputs;  ///< values as after training
  GradcheckOptions options;    ///< the entry's, with the names of the inputs
  Function f;
};
/// The gradients of a layer's input and of every parameter, and the gradients of those unless the
/// entry says why not.
CheckReport check_layer(const LayerEntry& entry);

}  // namespace tapehead
