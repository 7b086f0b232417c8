#pragma once
#include "step.hpp"

namespace tapehead {

/// The arguments of training_step.
struct StepInputs {
  const Module& model;
  const Batch& batch;
  std::uint64_t seed;
  Index step, shards;
  double max_norm;
  const StepOptions& options;
};
/// Returns the loss for an optimizer: its value, and functions that recompute it or compute
/// Hessian-vector products. It refers to the inputs, which must outlive it.
StepLoss step_loss(const StepInputs& inputs, double value);

}  // namespace tapehead
