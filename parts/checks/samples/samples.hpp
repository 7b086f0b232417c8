#pragma once
// What each op's gradient is checked with: inputs, and a function of them that calls the op.
#include "../../../core/checks/inputs.hpp"
#include "../../../core/ops.hpp"

#include <functional>

// The files of samples are compiled twice. In the library their calls mean the ops, and a Value is
// a Tensor; the tests compile them again in the namespace of the ops' reference definitions, whose
// header is included before all others and has a Value of its own.
#ifndef TAPEHEAD_SAMPLES
#define TAPEHEAD_SAMPLES samples
namespace tapehead::samples {
using Value = Tensor;
}
#endif

namespace tapehead::TAPEHEAD_SAMPLES {

using Inputs = std::vector<Value>;
using Function = std::function<Value(const Inputs& inputs)>;

/// Inputs and a function of them whose gradient is compared with finite differences. What else the
/// function needs, such as a mask, it captures as a Value.
struct OpSample {
  std::string what;             ///< "a row broadcast over a matrix"
  Inputs inputs;                ///< f64, away from kinks
  Function f;                   ///< calls the op
  Function decomposition = {};  ///< a fused op's decomposition, for values and gradients
};
struct OpSamples {
  std::string op;
  std::vector<OpSample> samples;
};

/// The samples of an op; none for one that has no gradient.
const std::vector<OpSample>& samples_of(const std::string& op);

/// The samples of each family, in a file of its name.
std::vector<OpSamples> arithmetic_samples();
std::vector<OpSamples> activation_samples();
std::vector<OpSamples> reduction_samples();
std::vector<OpSamples> layout_samples();
std::vector<OpSamples> product_samples();
std::vector<OpSamples> normalisation_samples();
std::vector<OpSamples> loss_samples();
std::vector<OpSamples> attention_samples();

/// Inputs of most samples, and those of functions with a kink or pole at zero.
inline Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }
inline Tensor far_from_zero(const Shape& shape, std::uint64_t seed) {
  return nonzero_sample(shape, seed);
}

/// What any function of one tensor, element by element, is checked with. `x` makes its inputs.
std::vector<OpSample> elementwise_samples(Value (*op)(const Value&),
                                          Tensor (*x)(const Shape& shape, std::uint64_t seed));

}  // namespace tapehead::TAPEHEAD_SAMPLES
