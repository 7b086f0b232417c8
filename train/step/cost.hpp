#pragma once
// How a batch is cut, and what a step over it computes.
#include "step.hpp"

namespace tapehead {

/// The number of shards for a batch or micro-batch of `examples` of `length` tokens: a power of two
/// that divides it, 4 unless a shard would have too little work for its weights (each shard reads
/// them once, and writes and adds their gradients). It depends on the run, never on the machine.
Index default_shards(Index examples, Index length, Index parameters);

/// Floating-point operations of a training step over a batch: three times those of the products of
/// its forward pass, as backward has two products for each (Kaplan et al., "Scaling Laws for Neural
/// Language Models", section 2.1). So a weight counts 6 for each token, and of attention counts
/// what a query sees. They follow from the shapes; nothing is computed. The weights may be
/// outlines. 0 where a layer, or the own loss, needs values and throws without.
double step_flops(const Module& model, const Batch& batch, const Loss* own = nullptr);

}  // namespace tapehead
