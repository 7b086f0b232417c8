#pragma once
// Sample arguments of each op, to check its gradient.
#include "../../../core/checks/inputs.hpp"
#include "../../../core/containers.hpp"
#include "../../../core/op.hpp"

#include <map>

namespace tapehead {

/// The arguments of one call of an op. Its distinct float tensors are the inputs whose gradients
/// are checked.
struct OpSample {
  std::string what;                     ///< description: "a row broadcast over a matrix"
  std::vector<Tensor> tensors;          ///< f64 values away from kinks, or integers; null: omitted
  std::vector<Attribute> options = {};  ///< omitted options have their defaults
  std::vector<std::size_t> constants = {};  ///< indices of float tensors that aren't inputs
};

/// Returns the samples of an op; none if the op has no gradient.
const std::vector<OpSample>& samples_of(const std::string& op);

namespace samples {

/// Samples by op. Each function below returns the samples of some families of ops.
using SampleTable = std::map<std::string, std::vector<OpSample>>;
SampleTable elementwise_samples();  // arithmetic and activations
SampleTable layout_samples();       // reduction and layout
SampleTable layer_samples();        // matmul, normalization and losses
SampleTable attention_samples();
SampleTable recurrence_samples();

// ---- helpers for samples

/// Returns a tensor of typical values.
inline Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }
/// Returns an i32 tensor: ids, or a mask of 0 and 1.
inline Tensor whole(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
inline Tensor row(const std::vector<double>& values) {
  return whole(values, {static_cast<Index>(values.size())});
}
inline std::vector<Tensor> twice(const Tensor& x) { return {x, x}; }
inline std::vector<OpSample> joined(std::vector<OpSample> samples,
                                    const std::vector<OpSample>& more) {
  append(samples, more);
  return samples;
}

}  // namespace samples
}  // namespace tapehead
