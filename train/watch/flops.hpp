#pragma once
#include "../../nn/transformer.hpp"

namespace tapehead {

/// Floating-point operations of a training step over so many tokens: 6 for each weight of a product
/// and each token (2 forward, 4 backward), and those of attention's two products for the keys that
/// a query sees: causal attention does half (Kaplan et al., "Scaling Laws for Neural Language
/// Models", section 2.1). Sequences count with the full length of the model's context. Of attention
/// that a program has of its own, its linear layers count.
double step_flops(Module& model, const ModelOptions& options, Index tokens);

}  // namespace tapehead
