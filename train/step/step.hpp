#pragma once
#include "../../core/trace.hpp"
#include "../../nn/parameters.hpp"
#include "../../optim/optimizer.hpp"
#include "../data/task.hpp"

#include <cmath>

namespace tapehead {

class Profiler;
class Ranks;

/// The Scope in which a step computes its loss from the logits.
inline constexpr const char* loss_scope = "loss";

struct StepResult {
  double loss = 0;   ///< what partial_loss adds up to: with training's smoothing
  double norm = 0;   ///< of the gradient, before clipping
  Index tokens = 0;  ///< of the inputs; padding counts where the batch doesn't mark it

  bool is_finite() const { return std::isfinite(loss) && std::isfinite(norm); }
};

struct StepOptions {
  /// Number of micro-batches, run one after the other: less memory for the same loss and gradient.
  Index accumulate = 1;
  double smoothing = 0;  ///< of labels, in [0, 1): part of a target spread over all tokens
  Precision precision = Precision::f32;       ///< of the model's products, forward and backward
  const Loss* loss = nullptr;                 ///< in the place of cross-entropy
  std::vector<TapeListener*> listeners = {};  ///< one per shard, called with its ops; or none
  Profiler* profiler = nullptr;               ///< called when shards and other parts begin and end
  Ranks* ranks = nullptr;                     ///< which compute the step together, or none
};

/// What the loss of a batch is a mean of: its targets that aren't -1, or what the own loss counts.
double counted(const Batch& batch, const Loss* own = nullptr);
/// What some rows add to the loss of a batch in which `count` are counted: to the cross-entropy of
/// the model's logits, in nats per target, or to the options' own loss; and to what layers have
/// added to the pass.
Tensor partial_loss(const Module& model, const Batch& rows, Pass& pass, double count,
                    const StepOptions& options = {});

/// Loss and gradients of a batch, which is cut along its first axis into `accumulate` equal
/// micro-batches, and each of those into `shards` (a power of two). Each shard runs on one thread
/// with its own tape; the shards of a micro-batch run in parallel. Their losses and gradients are
/// added in the order of the micro-batches and shards, so the bits don't depend on the number of
/// threads. However the batch is cut, every target has the same weight, and the dropout of an
/// example depends on its position in the batch alone: losses and gradients differ only by
/// rounding. With several ranks, each runs some of the shards and gets the same sum. Throws
/// ValueError if the batch can't be cut this way.
Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options = {});

/// Forward, backward, clip, update. If the loss or the gradient's norm is non-finite, there is no
/// update and nothing has changed.
StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options = {});

}  // namespace tapehead
