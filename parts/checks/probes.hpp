#pragma once
// Experiments with a layer: what changes when something else does.
#include "../../train/model/causality.hpp"

namespace tapehead {

/// A tensor of floats in a type; ids as they are.
Tensor cast_floats(const Tensor& x, DType dtype);

/// What a pass has given: y; or, where layers have added losses to it, y and those as one vector.
Tensor append_losses(const Tensor& y, const Pass& pass);

/// One pass in training, forward and backward: the result, and the gradients of all parameters and,
/// last, of the input; null where none arrives.
struct ForwardBackward {
  Tensor y;
  std::vector<Tensor> gradients;
};
ForwardBackward run_forward_backward(Module& layer, const Tensor& input);

/// The first element, row-major, at which two tensors of one shape differ by more than a tolerance,
/// relative or absolute below 1, or -1.
Index first_difference(const Tensor& a, const Tensor& b, double tolerance);

/// A position of a result that doesn't change with the one that is `distance` before it, where
/// another does.
struct Blind {
  Index position, seeing, distance;
};
/// x and f(x) are (batch, time, ...). Positions that all later ones see don't count: attention to a
/// window, and to the first positions beside it, is no such case.
std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f, const Tensor& x);

/// Where a layer in f32 loses more than rounding explains, in sentences, or an empty text. `full`
/// and `single` are the same layer in f64 and f32; their parameters become the same numbers.
/// How much rounding explains is seen in f64: by moving all parameters and the input by as much as
/// f32 rounds them. The input is also made larger, up to 128 times, to see what overflows.
std::string precision_loss(Module& full, Module& single, const Tensor& input);

}  // namespace tapehead
