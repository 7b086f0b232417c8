#include "memory_need.hpp"
#include "../step/step.hpp"
#include "architecture.hpp"

#include <algorithm>
#include <optional>

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

/// Returns the peak bytes of f, which runs with meta tensors. Returns 0 if a layer throws because
/// it needs values; a real error occurs again in the first step.
template <class F>
double most_of(F f) {
  const MetaTensors outline;
  try {
    f();
  } catch (const std::exception&) {
    return 0;
  }
  return real(static_cast<Index>(outline.peak_bytes()));
}

/// Returns the longest example; none if there are no examples or the task's data is missing. Code
/// that uses the data reports the error.
std::optional<Batch> longest_example(const TaskModel& model, const Task& task) {
  try {
    if (held_out_size(task) == 0) return {};
  } catch (const Error&) {
    return {};
  }
  return longest_batch(model, task);
}

/// Returns the bytes of a shard of `rows` examples, including its gradients.
double of_shard(const TrainConfig& config, const TaskModel& model, const Task& task,
                const Batch& longest, Index rows) {
  constexpr Index enough = 1 << 18;  // tokens; larger activations scale linearly
  const Index some = std::clamp<Index>(enough / longest.inputs.size(), 1, std::max<Index>(rows, 1));
  const Batch batch = longest_batch(model, task, some);
  StepOptions options;
  options.smoothing = config.smoothing;
  const auto own = custom_loss(model, task);
  options.loss = own.get();
  StepResult result;
  const auto step = [&] { sharded_gradients(*model.module, batch, 0, 0, 1, result, options); };
  return most_of(step) * real(rows) / real(some);
}

/// Returns the bytes of attention weights when all of them are collected.
double of_scores(const TaskModel& model, const Batch& longest) {
  return most_of([&] {
    const Pause pause;
    Pass pass = Pass::evaluation();
    std::vector<AttentionWeights> all;
    collect_weights(pass, all);
    logits_of(*model.module, longest, pass);
  });
}

}  // namespace

double MemoryEstimate::total() const {
  return weights + optimizer + average + data + std::max({step, evaluation, saving});
}

MemoryEstimate estimate_memory(const TrainConfig& config, const Registry& registry,
                               const TaskModel& model, const Task& task, Index shards,
                               Index threads) {
  const auto& moments = registry.optimizers().make(config.optimizer).moments;
  const double bytes = real(static_cast<Index>(bytes_of(model.options.dtype)));
  MemoryEstimate need;
  double gradients = 0;
  walk(static_cast<const Module&>(*model.module), [&](const std::string&, const Parameter& p) {
    const double size = bytes * real(p.shape.size());
    need.weights += size;
    need.optimizer += size * real(moments(p));
    if (!p.trainable) return;
    gradients += size;
    if (config.average > 0) need.average += size;
  });
  need.data = real(static_cast<Index>(task.bytes()));

  const Index rows = config.batch / config.accumulate / shards;  // rows per shard
  const Index at_once = std::min(shards, threads);
  // Finished shards hold their gradients, as do earlier micro-batches.
  const double held = real(shards - at_once + (config.accumulate > 1 ? 1 : 0)) * gradients;
  const std::optional<Batch> longest = longest_example(model, task);
  const double shard = longest ? of_shard(config, model, task, *longest, rows) : 0;
  const double at_work = real(at_once) * std::max(shard, gradients);
  // Measuring the weight update needs the weights before and after it.
  need.step = std::max(held + at_work, gradients + need.weights);
  if (longest) need.evaluation = of_scores(model, *longest);
  need.saving = std::max(need.weights, need.optimizer + need.average);
  return need;
}

}  // namespace tapehead
