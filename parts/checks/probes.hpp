#pragma once
// Experiments that change a layer's input or parameters and observe the effect.
#include "../../train/model/causality.hpp"

namespace tapehead {

/// Converts a float tensor to this type. Returns ids unchanged.
Tensor cast_floats(const Tensor& x, DType dtype);

/// Returns the layer's result y or, if layers added losses to the pass, a vector of y and these
/// losses.
Tensor append_losses(const Tensor& y, const Pass& pass);

/// The result of a layer in training mode, and the gradients of all parameters and, last, of the
/// input. A gradient is null if nothing was sent there.
struct ForwardBackward {
  Tensor y;
  std::vector<Tensor> gradients;
};
ForwardBackward run_forward_backward(Module& layer, const Tensor& input);

/// Returns the row-major number of the first element at which two tensors of equal shape differ by
/// more than `tolerance` (relative, or absolute below 1); -1 if there is none.
Index first_difference(const Tensor& a, const Tensor& b, double tolerance);

/// A result position that doesn't depend on the input `distance` positions earlier, and a position
/// `seeing` that depends on the input at this distance.
struct Blind {
  Index position, seeing, distance;
};
/// Searches for a position that ignores an input at a distance at which another doesn't. x and f(x)
/// are (batch, time, ...). Skips inputs that all later positions see, so that attention to a window
/// and to the first positions (sinks) passes.
std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f, const Tensor& x);

/// Describes f32 errors of a layer that are larger than rounding explains; returns an empty text if
/// there are none. `full` and `single` are the layer in f64 and f32; sets their parameters to equal
/// numbers. To estimate rounding errors, perturbs all parameters and the input in f64 by as much as
/// f32 rounds them. To find overflows, also multiplies the input by up to 128.
std::string precision_loss(Module& full, Module& single, const Tensor& input);

}  // namespace tapehead
