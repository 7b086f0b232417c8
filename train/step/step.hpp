#pragma once
#include "../../core/trace.hpp"
#include "../../nn/parameters.hpp"
#include "../../optim/optimizer.hpp"
#include "../data/task.hpp"

#include <cmath>

namespace tapehead {

class Profiler;
class Ranks;

/// The ModuleScope name for computing the loss from the logits.
inline constexpr const char* loss_scope = "loss";

struct StepResult {
  double loss = 0;   ///< sum of partial_loss over all shards, with label smoothing
  double norm = 0;   ///< gradient norm before clipping
  Index tokens = 0;  ///< input tokens; includes padding if the batch doesn't mark it

  bool is_finite() const { return std::isfinite(loss) && std::isfinite(norm); }
};

struct StepOptions {
  Index accumulate =
      1;  ///< micro-batches (gradient accumulation): less memory, equal up to rounding
  double smoothing = 0;  ///< label smoothing in [0, 1): share of each target spread over all tokens
  Precision precision = Precision::f32;       ///< precision of matmuls, forward and backward
  const Loss* loss = nullptr;                 ///< custom loss; null: cross-entropy
  std::vector<TapeListener*> listeners = {};  ///< one per shard, notified of its ops; or none
  Profiler* profiler = nullptr;  ///< notified when shards and other phases begin and end
  Ranks* ranks = nullptr;        ///< the processes that share the step; null: only this one
};

/// Returns the number of targets that a batch's loss is averaged over: targets other than -1, or
/// the count of the custom loss `own`.
double counted(const Batch& batch, const Loss* own = nullptr);
/// Returns the contribution of some rows to a batch's loss. This is their summed cross-entropy in
/// nats, or custom loss, divided by the `count` of targets in the whole batch. Includes losses that
/// layers add to the pass, such as penalties.
Tensor partial_loss(const Module& model, const Batch& rows, Pass& pass, double count,
                    const StepOptions& options = {});

/// Returns the gradients of a batch, and sets result.loss and result.tokens. The batch is cut along
/// its first axis into `accumulate` equal micro-batches, and each of these into `shards` (a power
/// of two). Each shard runs on one thread with its own tape; the shards of a micro-batch run in
/// parallel. Losses and gradients are added in the order of the micro-batches and shards, so
/// results are bitwise identical for any number of threads. Other values of `accumulate` or
/// `shards` change results only by rounding. An example's dropout depends only on its position in
/// the batch. Each of several ranks runs some of the shards and gets the same sum. Throws
/// ValueError if the batch can't be cut this way.
Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options = {});

/// Runs one step: forward, backward, clip, update. Changes nothing if loss or norm is non-finite.
StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options = {});

}  // namespace tapehead
