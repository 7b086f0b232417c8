#include "step.hpp"
#include "../core/runtime/parallel.hpp"
#include "../optim/clip.hpp"
#include "team.hpp"
#include "watch/profiler.hpp"

#include <algorithm>
#include <numeric>

namespace tapehead {

Index counted(const Tensor& targets) {
  const auto* ids = targets.data<std::int32_t>();
  return targets.size() - std::count(ids, ids + targets.size(), -1);
}

Tensor partial_loss(const Tensor& logits, const Tensor& targets, double count, double smoothing) {
  const Scope scope(loss_scope);
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  summed.label_smoothing = smoothing;
  return cross_entropy(logits, targets, summed) * (1 / count);
}

Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result, const StepOptions& options) {
  if (!batch.inputs || !batch.targets)
    throw ValueError("a batch has inputs and targets, and this one no {}",
                     batch.inputs ? "targets" : "inputs");
  const Index examples = batch.inputs.dim(0), parts = options.accumulate;
  if (parts < 1 || examples % parts != 0)
    throw ValueError("{} micro-batches don't divide the batch of {}", parts, examples);
  if (shards < 1 || (shards & (shards - 1)) != 0 || examples / parts % shards != 0)
    throw ValueError("{} shards: must be a power of two that divides the {} of {}", shards,
                     parts > 1 ? "micro-batch" : "batch", examples / parts);
  if (!options.listeners.empty() && static_cast<Index>(options.listeners.size()) != shards)
    throw ValueError("{} listeners for {} shards; each has its own", options.listeners.size(),
                     shards);
  const Index rows = examples / parts / shards;
  // Each shard sums its losses and divides by the number of targets in the whole batch: the
  // gradients of the shards then add up to that of the batch, however its targets are distributed.
  const auto count = static_cast<double>(std::max<Index>(counted(batch.targets), 1));
  Team* const team = options.team;
  Gradients sum;
  result.loss = 0;
  for (Index part = 0; part < parts; ++part) {
    std::vector<double> losses(shards);
    std::vector<Gradients> gradients(shards);
    const auto [begin, end] = team ? team->expect(shards) : std::pair<Index, Index>(0, shards);
    // Over all, so that ops in a rank's only shard are split as they are in one process.
    parallel_for(shards, [&, begin = begin, end = end](Index shard) {
      if (shard < begin || shard >= end) return;
      const ShardSpan span(options.profiler, shard);
      const Listening listening(options.listeners.empty() ? nullptr : options.listeners[shard]);
      const Index first = (part * shards + shard) * rows;
      const auto [inputs, targets, lengths] = batch.rows(first, first + rows);
      const Pause alone;  // whatever else records on this thread
      Tape tape;
      Pass pass = Pass::training(seed, step, first);
      pass.precision = options.precision;
      const Tensor loss = partial_loss(model(inputs, pass), targets, count, options.smoothing);
      losses[shard] = loss.item();
      BackwardOptions told;
      if (team)
        told.ready = [=](const Tensor& x, const Tensor& gradient) {
          team->leave(shard, x, gradient);
        };
      gradients[shard] = tape.backward(loss, told);
      if (team) team->leave(shard, losses[shard]);
    });
    if (team) {
      gradients.clear();
      const Span span(options.profiler, "gradient exchange");
      sum = team->sum(sum, losses);
    } else {
      const Span span(options.profiler, "gradient sum");
      if (part > 0) gradients.insert(gradients.begin(), std::move(sum));
      sum = Gradients::sum(std::move(gradients));
    }
    // Added in the order of the shards, whichever thread each ran on.
    result.loss = std::accumulate(losses.begin(), losses.end(), result.loss);
  }
  result.tokens = std::accumulate(batch.lengths.begin(), batch.lengths.end(), Index{0});
  if (batch.lengths.empty()) result.tokens = batch.inputs.size();
  return sum;
}

StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm,
                         const StepOptions& options) {
  Team* const team = options.team;
  StepResult result;
  Gradients gradients = sharded_gradients(model, batch, seed, step, shards, result, options);
  {
    const Span span(options.profiler, "clip");
    result.norm = team ? team->norm(gradients) : global_norm(gradients);
    gradients = clipped(std::move(gradients), result.norm, max_norm);
  }
  {
    const Span span(options.profiler, "optimizer");
    if (result.is_finite()) optimizer.step(gradients);
  }
  if (team) {
    const Span span(options.profiler, "weight exchange");
    team->settle(result.is_finite());
  }
  return result;
}

Index default_shards(Index examples, Index length, Index parameters) {
  constexpr Index in_cache = 1 << 18, large = 1 << 22;  // parameters: 1 and 16 MB of them
  constexpr Index enough = 256;  // tokens per shard, to make up for reading its weights
  Index shards = 1;
  while (shards < 4 && examples % (2 * shards) == 0) {
    const bool few = examples * length < enough * 2 * shards;
    // Splitting the ops of a large model works almost as well as splitting its batch, and needs no
    // copies of gradients.
    if (few && parameters > (shards == 1 ? large : in_cache)) break;
    shards *= 2;
  }
  return shards;
}

}  // namespace tapehead
