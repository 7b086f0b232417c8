#pragma once
// Histograms of weights, gradients and activations during training.
#include "../files/json.hpp"
#include "../step/step.hpp"

namespace tapehead {

/// Returns the range `from`, `to` of the finite elements, `counts` in 30 equal bins, and the number
/// of `not_finite` elements, if any. Null if no element is finite.
Json histogram(const Tensor& x);

/// Returns histograms of `weights` and `gradients` by parameter, and of `activations` by module
/// (the outputs for the first shard). Replays the step, and changes nothing. The other arguments
/// are as for training_step.
Json histograms(Module& model, const Batch& batch, std::uint64_t seed, Index step, Index shards,
                StepOptions options = {});

}  // namespace tapehead
