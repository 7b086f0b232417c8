#pragma once
// Causality checks: a layer is causal if no output position depends on a later input position.
#include "../../nn/parameters.hpp"

#include <functional>
#include <optional>

namespace tapehead {

/// Adds random numbers to every parameter, since biases of 0, gains of 1 and zero-initialized
/// projections can hide bugs. The scale is 0.3 for vectors, and smaller for matrices with many
/// inputs.
void perturb_parameters(Module& module);

/// Returns x (batch, time, ...) with random values at one position; ids become other ids of x.
Tensor with_changed_position(const Tensor& x, Index position);

/// An output position that depends on a later input position.
struct FutureLeak {
  Index position, later;  ///< the output position, and the later input position
  Index element;          ///< first output element that changes, row-major
  double before, after;
};
/// Changes the positions of x one by one, from last to first. Looks for changes at earlier
/// positions of f(x), above 1e-3 in f32 or 1e-9 in f64. x is (batch, time, ...); f(x) has as many
/// positions, or only the last ones.
std::optional<FutureLeak> future_leak(const std::function<Tensor(const Tensor&)>& f,
                                      const Tensor& x);

}  // namespace tapehead
