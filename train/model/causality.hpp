#pragma once
// Whether a layer is causal: no position of its result changes with a later one of its input.
#include "../../nn/parameters.hpp"

#include <functional>
#include <optional>

namespace tapehead {

/// Moves every parameter away from its first value by random numbers. At biases of 0, gains of 1
/// and projections that start at zero, mistakes can hide. Vectors move by 0.3, and matrices by less
/// where many inputs are added up.
void perturb_parameters(Module& module);

/// x (batch, time, ...) with other values at one position. Ids change to others of x.
Tensor with_changed_position(const Tensor& x, Index position);

/// A position of a result that changes with a later one of the input.
struct FutureLeak {
  Index position, later;  ///< of the result; of the input
  Index element;          ///< of the result, row-major: the first that changes
  double before, after;
};
/// Changes one position of x after another, from the last on, and looks whether earlier ones of
/// f(x) change, by more than 1e-3 in f32 and 1e-9 in f64. x is (batch, time, ...), and f(x) has as
/// many positions, or those at the end alone.
std::optional<FutureLeak> future_leak(const std::function<Tensor(const Tensor&)>& f,
                                      const Tensor& x);

}  // namespace tapehead
