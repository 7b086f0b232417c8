#pragma once
// The number of shards of a batch, and the floating-point operations of a step.
#include "step.hpp"

namespace tapehead {

/// Returns the number of shards for a batch or micro-batch of `examples` of `length` tokens: a
/// power of two that divides `examples`, at most 4. It is smaller if a shard would have little work
/// compared with the number of weights, because each shard reads all weights and adds their
/// gradients. It depends on the run, never on the machine.
Index default_shards(Index examples, Index length, Index parameters);

/// Returns the floating-point operations of a training step over a batch. This is three times the
/// operations of the forward matmuls, because backward has two matmuls for each (Kaplan et al.,
/// "Scaling Laws for Neural Language Models", section 2.1). So each weight counts as 6 operations
/// per token. In attention, only the keys that a query sees count. The count depends on shapes
/// alone, so weights may be meta tensors. Returns 0 if a layer or the custom loss throws because it
/// needs values.
double step_flops(const Module& model, const Batch& batch, const Loss* own = nullptr);

}  // namespace tapehead
