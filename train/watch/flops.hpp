#pragma once
#include "../../nn/transformer.hpp"

namespace tapehead {

/// Floating-point operations of a training step over so many symbols: 6 for each weight of a
/// product and each symbol (2 forward, 4 backward), and those of attention's two products, of which
/// causal attention has half (Kaplan et al., "Scaling Laws for Neural Language Models",
/// section 2.1). Sequences count as being as long as the model takes them.
double step_flops(Module& model, const ModelOptions& options, Index symbols);

}  // namespace tapehead
