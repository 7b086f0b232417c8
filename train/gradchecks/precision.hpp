#pragma once
#include "../../nn/module.hpp"

namespace tapehead {

/// Where a layer in f32 loses more than rounding explains, in sentences, or an empty text. `full`
/// and `single` are the same layer in f64 and f32; their parameters become the same numbers.
/// How much rounding explains is seen in f64: by moving all parameters and the input by as much as
/// f32 rounds them. The input is also made larger, up to 128 times, to see what overflows.
std::string precision_loss(Module& full, Module& single, const Tensor& input);

}  // namespace tapehead
