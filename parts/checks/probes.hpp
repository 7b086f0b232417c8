#pragma once
// Experiments with a layer: changes one thing and observes the effect on the rest.
#include "../../train/model/causality.hpp"

namespace tapehead {

/// Converts floats to a type; returns ids unchanged.
Tensor cast_floats(const Tensor& x, DType dtype);

/// Returns y, or one vector of y and the losses that layers added to the pass, if any.
Tensor append_losses(const Tensor& y, const Pass& pass);

/// The result of a training pass, and the gradients of all parameters and, last, of the input; null
/// if none arrives.
struct ForwardBackward {
  Tensor y;
  std::vector<Tensor> gradients;
};
ForwardBackward run_forward_backward(Module& layer, const Tensor& input);

/// Returns the first row-major element at which two tensors of one shape differ by more than a
/// tolerance (relative, or absolute below 1), or -1.
Index first_difference(const Tensor& a, const Tensor& b, double tolerance);

/// A position of a result that doesn't depend on the input `distance` before it, although another
/// position does.
struct Blind {
  Index position, seeing, distance;
};
/// Searches for such a position; x and f(x) are (batch, time, ...). Ignores inputs that all later
/// positions see, so attention to a window and to the first positions passes.
std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f, const Tensor& x);

/// Returns sentences about a loss of precision in f32 beyond rounding, or an empty text. `full` and
/// `single` are the same layer in f64 and f32; sets their parameters to equal numbers. To estimate
/// rounding errors, moves all parameters and the input in f64 by as much as f32 rounds them. Also
/// scales the input up to 128 times to find overflows.
std::string precision_loss(Module& full, Module& single, const Tensor& input);

}  // namespace tapehead
