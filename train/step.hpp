#pragma once
#include "../core/trace.hpp"
#include "../nn/module.hpp"
#include "../optim/optimizer.hpp"
#include "tasks/task.hpp"

#include <cmath>

namespace tapehead {

class Profiler;

/// The Scope in which a step computes its loss from the logits.
inline constexpr const char* loss_scope = "loss";

struct StepResult {
  double loss = 0;   ///< mean over the targets that count, in nats, smoothed where training is
  double norm = 0;   ///< of the gradient, before clipping
  Index tokens = 0;  ///< inputs seen

  bool is_finite() const { return std::isfinite(loss) && std::isfinite(norm); }
};

struct StepOptions {
  /// Micro-batches, run one after the other: less memory, and the same loss and gradient.
  Index accumulate = 1;
  double smoothing =
      0;  ///< label smoothing, in [0, 1): fraction of a target spread over all tokens
  std::vector<TapeListener*> listeners = {};  ///< one for each shard, called with its ops; or none
  Profiler* profiler = nullptr;               ///< called when shards and other parts begin and end
};

/// Loss and gradients of a batch, cut along its first axis into `accumulate` equal parts, and each
/// of those into `shards` (a power of two). Each shard runs on one thread with a tape of its own;
/// the shards of a part run at once. Losses and gradients of a part are added in a binary tree over
/// its shards, and to those of the parts before, so that the bits don't depend on the number of
/// threads. Whatever the cut, a target counts the same, and an example drops out the same, by its
/// place in the batch: losses and gradients differ by rounding alone. Throws ValueError where the
/// batch can't be cut so.
Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options = {});

/// Forward, backward, clip, update. Where the loss or the gradient's norm isn't finite there is no
/// update: nothing has changed.
StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options = {});

/// Into how many shards so many examples of `length` symbols are cut, the batch or a micro-batch: a
/// power of two that divides it, 4 unless a shard's share of the work were too small for its share
/// of the weights (they are read, and their gradients written and added, once a shard). A property
/// of the run, never of the machine.
Index default_shards(Index examples, Index length, Index parameters);

}  // namespace tapehead
