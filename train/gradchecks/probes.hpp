#pragma once
// Experiments with a layer: what changes when something else does.
#include "../../nn/module.hpp"

namespace tapehead {

/// Moves every parameter away from its first value by random numbers. At biases of 0, gains of 1
/// and projections that start at zero, mistakes can hide. Vectors move by 0.3, and matrices by less
/// where many inputs are added up.
void as_after_training(Module& module);

/// A tensor of floats in a type; ids as they are.
Tensor in_type(const Tensor& x, DType dtype);

/// What a pass has given: y; or, where layers have added losses to it, y and those as one vector.
Tensor with_losses(const Tensor& y, const Pass& pass);

/// One pass in training, forward and backward: the result, and the gradients of all parameters and,
/// last, of the input; null where none arrives.
struct BothWays {
  Tensor y;
  std::vector<Tensor> gradients;
};
BothWays run_both_ways(Module& layer, const Tensor& input);

/// The first element, row-major, at which two tensors of one shape differ by more than a tolerance,
/// relative or absolute below 1, or -1.
Index first_difference(const Tensor& a, const Tensor& b, double tolerance);

/// A position of a result that changes with a later one of the input.
struct FutureLeak {
  Index position, later;  ///< of the result; of the input
  Index element;          ///< of the result, row-major: the first that changes
  double before, after;
};
/// Changes one position of x after another, from the last on, and looks whether earlier ones of
/// f(x) change, by more than 1e-3 in f32 and 1e-9 in f64. x is (batch, time, ...), and f(x) has as
/// many positions, or those at the end alone. Ids change to others of x.
std::optional<FutureLeak> future_leak(const std::function<Tensor(const Tensor&)>& f,
                                      const Tensor& x);

/// A position of a result that doesn't change with the one that is `distance` before it, where
/// another does.
struct Blind {
  Index position, seeing, distance;
};
/// x and f(x) are (batch, time, ...). Positions that all later ones see don't count: attention to a
/// window, and to the first positions beside it, is no such case.
std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f, const Tensor& x);

}  // namespace tapehead
