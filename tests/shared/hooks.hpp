#pragma once
// Checks for the hooks of every model.
#include "../../nn/parameters.hpp"
#include "support.hpp"

namespace tapehead {

/// Expects that a hook that returns its input unchanged keeps logits and gradients bitwise
/// identical. The model needs at least two blocks and all hook points; heads may be missing if the
/// layer doesn't expose them.
void expect_hooks_preserve_bits(const Module& model, const Tensor& input, bool has_heads = true);
/// Expects that gradients reach the values that a hook returns.
void expect_gradients_reach_hooks(const Module& model, const Tensor& input, bool has_heads = true);

}  // namespace tapehead
