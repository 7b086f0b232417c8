#pragma once
#include <tapehead/nn/module.hpp>
#include <tapehead/optim/optimizer.hpp>
#include <tapehead/train/task.hpp>

namespace tapehead {

struct StepResult {
  double loss = 0;   ///< mean over the targets that count, in nats
  double norm = 0;   ///< of the gradient, before clipping
  Index tokens = 0;  ///< inputs seen
};

/// Loss and gradients of a batch, cut along its first axis into `shards` (a power of two that
/// divides it). Each shard runs on one thread with a tape of its own; losses and gradients are
/// added in a binary tree over the shards, so that the bits don't depend on the number of threads.
Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result);

/// Forward, backward, clip, update.
StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm);

/// The largest power of two, at most 4, that divides the batch: a property of the run, never of
/// the machine.
Index default_shards(Index batch);

}  // namespace tapehead
