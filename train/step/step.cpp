#include "step.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../optim/clip.hpp"
#include "../files/number.hpp"
#include "profiler.hpp"
#include "ranks.hpp"
#include "step_loss.hpp"

#include <algorithm>
#include <numeric>

namespace tapehead {
double counted(const Batch& batch, const Loss* own) {
  if (own) return own->counted(batch);
  const auto* ids = batch.targets.data<std::int32_t>();
  const Index size = batch.targets.size();
  return static_cast<double>(size - std::count(ids, ids + size, -1));
}

Tensor partial_loss(const Module& model, const Batch& rows, Pass& pass, double count,
                    const StepOptions& options) {
  Tensor loss;
  if (options.loss) {
    loss = (*options.loss)(rows, pass) * (options.loss->counted(rows) / count);
  } else {
    const auto [logits, targets] = predictions_at_targets(model, rows, pass);
    const ModuleScope scope(loss_scope);
    CrossEntropyOptions summed;
    summed.reduction = Reduction::sum;
    summed.label_smoothing = options.smoothing;
    loss = cross_entropy(logits, targets, summed) * (1 / count);
  }
  if (pass.added.empty()) return loss;
  const ModuleScope scope(loss_scope);
  return pass.with_added_losses(loss, counted(rows, options.loss) / count);
}

Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options) {
  if (!batch.inputs || !(batch.targets || options.loss))
    throw ValueError("the batch has no {}", batch.inputs ? "targets" : "inputs");
  const Index examples = batch.inputs.dim(0), micro_batches = options.accumulate;
  if (micro_batches < 1 || examples % micro_batches != 0)
    throw ValueError("{} micro-batches don't divide the batch size {}", micro_batches, examples);
  if (shards < 1 || (shards & (shards - 1)) != 0 || examples / micro_batches % shards != 0)
    throw ValueError("{} shards, expected a power of two that divides the {} size {}", shards,
                     micro_batches > 1 ? "micro-batch" : "batch", examples / micro_batches);
  if (!options.listeners.empty() && static_cast<Index>(options.listeners.size()) != shards)
    throw ValueError("{} listeners for {} shards, expected one per shard", options.listeners.size(),
                     shards);
  const Index rows = examples / micro_batches / shards;
  // Each shard divides its summed loss by the number of targets in the whole batch. So the shards'
  // gradients add up to the batch's gradient, even if they have different numbers of targets.
  const double counts = counted(batch, options.loss), count = counts > 0 ? counts : 1;
  Ranks* const ranks = options.ranks;
  const auto [begin, end] = ranks ? ranks->own_shards(shards) : std::pair<Index, Index>(0, shards);
  Gradients sum;
  result.loss = 0;
  for (Index micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
    std::vector<double> losses(shards);
    std::vector<Gradients> gradients(shards);
    // Loops over the shards of all ranks, so that each op gets as many threads as with one rank.
    parallel_for(shards, [&, begin = begin, end = end](Index shard) {
      if (shard < begin || shard >= end) return;
      const ShardSpan span(options.profiler, shard);
      const ListenerScope listening(options.listeners.empty() ? nullptr : options.listeners[shard]);
      const Index first = (micro_batch * shards + shard) * rows;
      const Batch own = batch.rows(first, first + rows);
      const Pause alone;  // outer tapes of this thread don't record
      Tape tape;          // watches each parameter when a layer reads it
      Pass pass = Pass::training(seed, step, first);
      pass.precision = options.precision;
      const Tensor loss = partial_loss(model, own, pass, count, options);
      losses[shard] = loss.item();
      gradients[shard] = tape.backward(loss);
    });
    if (ranks) {
      const Span span(options.profiler, "gradient exchange");
      sum = ranks->all_reduce(values(parameters(model)), sum, gradients, losses);
    } else {
      const Span span(options.profiler, "gradient sum");
      if (micro_batch > 0) gradients.insert(gradients.begin(), std::move(sum));
      sum = Gradients::sum(std::move(gradients));
    }
    // Adds in the order of the shards, so that the sum doesn't depend on the threads.
    result.loss = std::accumulate(losses.begin(), losses.end(), result.loss);
  }
  result.tokens = std::accumulate(batch.lengths.begin(), batch.lengths.end(), Index{0});
  if (batch.lengths.empty()) result.tokens = batch.inputs.size();
  return sum;
}

StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options) {
  StepResult result;
  Gradients gradients = sharded_gradients(model, batch, seed, step, shards, result, options);
  {
    const Span span(options.profiler, "clip");
    result.loss = without_nan_sign(result.loss);
    result.norm = without_nan_sign(global_norm(gradients, parameters(model)));
    gradients = clipped(std::move(gradients), result.norm, max_norm);
  }
  {
    const Span span(options.profiler, "optimizer");
    const StepInputs inputs{model, batch, seed, step, shards, max_norm, options};
    // A few optimizers evaluate the loss at other points through step_loss.
    if (result.is_finite()) optimizer.step(gradients, step_loss(inputs, result.loss));
  }
  return result;
}

}  // namespace tapehead
