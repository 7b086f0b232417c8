#pragma once
// What the optimizers keep of each parameter, and the checks of their options.
#include "optimizer.hpp"

namespace tapehead {

/// Throws ValueError where `value` isn't in [low, below): `AdamW: beta2 is 1, and must be ...`.
void check_option(const char* optimizer, const char* name, double value, double low, double below);

/// A tensor of zeros of each parameter's shape and type.
std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters);

/// One moment of all parameters, as Optimizer::state lists it: "first.blocks.0.mlp.in.weight".
/// Parameters that have none, no tensor, are left out.
std::vector<Optimizer::State> named_states(const char* moment,
                                           const std::vector<Parameter*>& parameters,
                                           std::vector<Tensor>& tensors);

}  // namespace tapehead
