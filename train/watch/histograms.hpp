#pragma once
// How the numbers of a model are distributed while it trains.
#include "../files/json.hpp"
#include "../step/step.hpp"

namespace tapehead {

/// `from`, `to`: the least and the greatest finite element; `counts`: of the elements in thirty
/// equal parts of the way between them; `not_finite`: how many others there are, if any. Null where
/// no element is finite.
Json histogram(const Tensor& x);

/// Histograms of `weights` and `gradients` by parameter, and of `activations` by module: what it
/// returns for the first shard of the batch. The step with these arguments of training_step is
/// replayed for that, which changes nothing.
Json histograms(Module& model, const Batch& batch, std::uint64_t seed, Index step, Index shards,
                StepOptions options = {});

}  // namespace tapehead
