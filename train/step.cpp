#include <tapehead/core/parallel.hpp>
#include <tapehead/optim/clip.hpp>
#include <tapehead/train/step.hpp>

#include <algorithm>

namespace tapehead {
namespace {

/// Neighbours first, then neighbouring pairs: the order depends on the number of parts alone.
template <class T, class Add>
T tree_sum(std::vector<T>& parts, Add add) {
  for (std::size_t apart = 1; apart < parts.size(); apart *= 2)
    for (std::size_t i = 0; i + apart < parts.size(); i += 2 * apart)
      add(parts[i], std::move(parts[i + apart]));
  return std::move(parts[0]);
}

Index counted(const Tensor& targets) {
  const auto* ids = targets.data<std::int32_t>();
  return targets.size() - std::count(ids, ids + targets.size(), -1);
}

}  // namespace

Gradients sharded_gradients(const Module& model, const Batch& batch, std::uint64_t seed, Index step,
                            Index shards, StepResult& result) {
  const Index examples = batch.inputs.dim(0);
  if (shards < 1 || (shards & (shards - 1)) != 0 || examples % shards != 0)
    throw ValueError("{} shards: must be a power of two that divides the batch of {}", shards,
                     examples);
  const Index rows = examples / shards;
  // Each shard sums its losses and divides by what the whole batch counts: the shards' gradients
  // then add up to the batch's, whatever share of its targets a shard has.
  const auto count = static_cast<double>(std::max<Index>(counted(batch.targets), 1));
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;

  std::vector<Gradients> gradients(static_cast<std::size_t>(shards));
  std::vector<double> losses(static_cast<std::size_t>(shards));
  parallel_for(shards, [&](Index shard) {
    const Index first = shard * rows;
    const Tensor inputs = slice(batch.inputs, 0, first, first + rows);    // (rows, time)
    const Tensor targets = slice(batch.targets, 0, first, first + rows);  // (rows, time)
    Tape tape;
    Pass pass = Pass::training(seed, step, first);
    const Tensor loss = cross_entropy(model(inputs, pass), targets, summed) * (1 / count);
    losses[static_cast<std::size_t>(shard)] = loss.item();
    gradients[static_cast<std::size_t>(shard)] = tape.backward(loss);
  });
  result.loss = tree_sum(losses, [](double& a, double b) { a += b; });
  result.tokens = batch.inputs.size();
  return tree_sum(gradients, [](Gradients& a, Gradients b) { a.add(std::move(b)); });
}

StepResult training_step(const Module& model, Optimizer& optimizer, const Batch& batch,
                         std::uint64_t seed, Index step, Index shards, double max_norm) {
  StepResult result;
  Gradients gradients = sharded_gradients(model, batch, seed, step, shards, result);
  optimizer.step(clip(std::move(gradients), max_norm, &result.norm));
  return result;
}

Index default_shards(Index batch) {
  Index shards = 1;
  while (shards < 4 && batch % (2 * shards) == 0) shards *= 2;
  return shards;
}

}  // namespace tapehead
