#pragma once
#include "step.hpp"

namespace tapehead {

/// What a step was called with.
struct StepInputs {
  const Module& model;
  const Batch& batch;
  std::uint64_t seed;
  Index step, shards;
  double max_norm;
  const StepOptions& options;
};
/// What an optimizer may ask of a step besides its gradients. It refers to the inputs.
StepLoss step_loss(const StepInputs& inputs, double value);

}  // namespace tapehead
