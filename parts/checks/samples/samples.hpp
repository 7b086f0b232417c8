#pragma once
// Arguments of calls of each op, with which its gradient is checked.
#include "../../../core/checks/inputs.hpp"
#include "../../../core/op.hpp"

#include <map>

namespace tapehead {

/// The arguments of a call. The inputs, whose gradients are checked, are its float tensors, a
/// tensor that is given twice only once.
struct OpSample {
  std::string what;                         ///< "a row over a matrix"
  std::vector<Tensor> tensors;              ///< floats in f64 and away from kinks; null: left out
  std::vector<Attribute> options = {};      ///< others have their defaults
  std::vector<std::size_t> constants = {};  ///< positions of float tensors that are no inputs
};

/// The samples of an op; none for one that has no gradient.
const std::vector<OpSample>& samples_of(const std::string& op);

namespace samples {

/// By op, in a file for some families each.
using SampleTable = std::map<std::string, std::vector<OpSample>>;
SampleTable elementwise_samples();  // arithmetic and activations
SampleTable layout_samples();       // reduction and layout
SampleTable layer_samples();        // products, normalisation and losses
SampleTable attention_samples();

// ---- what samples are made of

/// The inputs of most samples.
inline Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }
/// i32: ids, and masks of 0 and 1.
inline Tensor whole(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
inline Tensor row(const std::vector<double>& values) {
  return whole(values, {static_cast<Index>(values.size())});
}
inline std::vector<Tensor> twice(const Tensor& x) { return {x, x}; }
inline std::vector<OpSample> joined(std::vector<OpSample> samples,
                                    const std::vector<OpSample>& more) {
  samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

}  // namespace samples
}  // namespace tapehead
