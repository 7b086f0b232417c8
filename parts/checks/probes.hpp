#pragma once
// Experiments with a layer: change one input or parameter, and observe the effect.
#include "../../train/model/causality.hpp"

namespace tapehead {

/// Converts floats to a type; returns ids unchanged.
Tensor cast_floats(const Tensor& x, DType dtype);

/// Returns y; if layers added losses to the pass, a vector of y and these losses.
Tensor append_losses(const Tensor& y, const Pass& pass);

/// The result of a pass in training mode, and the gradients of all parameters and, last, of the
/// input. A gradient is null if none arrives.
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
/// positions see, so attention to a window and to the first positions (sinks) passes.
std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f, const Tensor& x);

/// Describes a loss of precision in f32 beyond rounding errors; returns an empty text if there is
/// none. `full` and `single` are the same layer in f64 and f32, whose parameters it sets to equal
/// numbers. To estimate rounding errors, perturbs all parameters and the input in f64 by as much as
/// f32 rounds them. Also scales the input by up to 128 to find overflows.
std::string precision_loss(Module& full, Module& single, const Tensor& input);

}  // namespace tapehead
