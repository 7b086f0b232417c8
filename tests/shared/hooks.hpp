#pragma once
// What holds for the hooks of every model.
#include "../../nn/parameters.hpp"
#include "support.hpp"

namespace tapehead {

/// What a hook puts back as it was changes no bit of logits and gradients. The model has two blocks
/// at least, and all points but, of a layer that doesn't show them, its heads.
void expect_hooks_preserve_bits(const Module& model, const Tensor& input, bool has_heads = true);
/// Gradients reach what a hook puts in the place of what was there.
void expect_gradients_reach_hooks(const Module& model, const Tensor& input, bool has_heads = true);

}  // namespace tapehead
