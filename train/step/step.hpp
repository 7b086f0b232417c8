#pragma once
#include "../../core/trace.hpp"
#include "../../nn/parameters.hpp"
#include "../../optim/optimizer.hpp"
#include "../data/task.hpp"

#include <cmath>

namespace tapehead {

class Profiler;
class Ranks;

/// The name of the ModuleScope in which a step computes its loss from the logits.
inline constexpr const char* loss_scope = "loss";

struct StepResult {
  double loss = 0;   ///< the sum of partial_loss over all shards, with label smoothing
  double norm = 0;   ///< of the gradient, before clipping
  Index tokens = 0;  ///< of the inputs; includes padding if the batch doesn't mark it

  bool is_finite() const { return std::isfinite(loss) && std::isfinite(norm); }
};

struct StepOptions {
  /// Number of micro-batches, run one after the other: less memory, the same loss and gradient.
  Index accumulate = 1;
  double smoothing = 0;  ///< of labels, in [0, 1): share of a target spread over all tokens
  Precision precision = Precision::f32;       ///< of matrix products, forward and backward
  const Loss* loss = nullptr;                 ///< custom loss; null: cross-entropy
  std::vector<TapeListener*> listeners = {};  ///< one per shard, notified of its ops; or none
  Profiler* profiler = nullptr;  ///< notified when shards and other phases begin and end
  Ranks* ranks = nullptr;        ///< processes that share the step; null: only this one
};

/// Returns the number of targets that a batch's loss is a mean over. These are the targets that
/// aren't -1, or those that the custom loss `own` counts.
double counted(const Batch& batch, const Loss* own = nullptr);
/// Returns the part of a batch's loss that comes from some of its rows. This is their summed
/// cross-entropy in nats, or custom loss, divided by the `count` of targets in the whole batch. It
/// includes the losses that layers add to the pass, such as a penalty.
Tensor partial_loss(const Module& model, const Batch& rows, Pass& pass, double count,
                    const StepOptions& options = {});

/// Returns the gradients of a batch, and sets result.loss and result.tokens. The batch is cut along
/// its first axis into `accumulate` equal micro-batches, and each of these into `shards` (a power
/// of two). Each shard runs on one thread with its own tape; the shards of a micro-batch run in
/// parallel. Losses and gradients are added in the order of the micro-batches and shards, so
/// results are bitwise identical for any number of threads. Another cut changes them only by
/// rounding: every target has the same weight, and an example's dropout depends only on its
/// position in the batch. With several ranks, each runs some of the shards and gets the same sum.
/// Throws ValueError if the batch can't be cut this way.
Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options = {});

/// Runs one step: forward, backward, clip, update. Changes nothing if the loss or the gradient's
/// norm is non-finite.
StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options = {});

}  // namespace tapehead
