#pragma once
#include "../../nn/transformer.hpp"

namespace tapehead {

/// Floating-point operations of a training step over so many tokens: 6 for each weight of a product
/// and each token (2 forward, 4 backward), and those of attention's two products, of which causal
/// attention does half (Kaplan et al., "Scaling Laws for Neural Language Models", section 2.1).
/// Sequences count with the full length of the model's context.
double step_flops(Module& model, const ModelOptions& options, Index tokens);

}  // namespace tapehead
