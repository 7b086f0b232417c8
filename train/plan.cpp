#include "plan.hpp"
#include "../core/runtime/processors.hpp"
#include "model/fine_tuning.hpp"
#include "step/cost.hpp"
#include "step/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

std::string gigabytes(double bytes) {
  return bytes < 1e12 ? fmt::format("{:.3g}", 1e-9 * bytes) : fmt::format("{:.0f}", 1e-9 * bytes);
}

/// Lists the memory in GB: `4.84 for weights, 9.67 for adamw, 23.7 for a step`. Omits purposes
/// below 1 %.
std::string parts(const MemoryEstimate& need, const std::string& optimizer) {
  const double largest = std::max({need.step, need.evaluation, need.saving});
  const char* what = largest == need.step         ? "the gradients and activations of a step"
                     : largest == need.evaluation ? "the attention weights of an evaluation"
                                                  : "a checkpoint's file";
  const std::pair<double, std::string> all[] = {{need.data, "data"},
                                                {need.weights, "weights"},
                                                {need.optimizer, optimizer},
                                                {need.average, "EMA weights"},
                                                {largest, what}};
  std::string text;
  for (const auto& [bytes, name] : all)
    if (bytes > 0.01 * need.total())
      text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", gigabytes(bytes), name);
  return text;
}

bool fits(const TrainConfig& config, const Plan& plan, const Registry& registry, double bytes) {
  return make_plan(config, registry, plan.task).need.total() <= bytes;
}

/// Returns the smallest --accumulate with which a run fits into `bytes` of memory; 0 if none does.
Index micro_batches(TrainConfig config, const Plan& plan, const Registry& registry, double bytes) {
  const Index first = config.accumulate;
  config.accumulate = config.batch;
  config.shards = 0;
  if (!fits(config, plan, registry, bytes)) return 0;
  for (config.accumulate = first; config.accumulate < config.batch; config.accumulate *= 2)
    if (config.batch % config.accumulate == 0 && fits(config, plan, registry, bytes)) break;
  return std::min(config.accumulate, config.batch);
}

/// Returns the options for the widest model that fits into `bytes` of memory, or else the deepest:
/// ` --accumulate 4 --width 2048`. Empty if no model fits.
std::string fitting_options(const Plan& plan, const Registry& registry, double bytes) {
  const TrainConfig& config = plan.config;
  const std::pair<const char*, Index ModelOptions::*> sizes[] = {{"width", &ModelOptions::width},
                                                                 {"layers", &ModelOptions::layers}};
  for (const auto& [name, size] : sizes) {
    TrainConfig smaller = config;
    for (Index& value = smaller.model.*size;; value /= 2) {
      if (smaller.model.width % smaller.model.heads != 0) break;
      if (const Index parts = micro_batches(smaller, plan, registry, bytes)) {
        std::string text;
        if (parts != config.accumulate) text += fmt::format(" --accumulate {}", parts);
        if (value != config.model.*size) text += fmt::format(" --{} {}", name, value);
        return text;
      }
      if (value % 2 != 0) break;
    }
  }
  return "";
}

/// Returns the number of useful threads: one per 2^26 operations of a micro-batch. For example,
/// `reverse` (0.1 GFLOP per step) takes 1.5 ms on one thread. On two threads it takes 1.2 ms, but
/// 1.3 times the processor time.
Index useful_threads(Index tokens, Index parameters) {
  constexpr double each = 1 << 26;  // operations; 6 per parameter and token
  const double worth = 6 * static_cast<double>(tokens) * static_cast<double>(parameters) / each;
  return static_cast<Index>(std::min<double>(processors(), std::max(worth, 1.0)));
}

Layout layout(const TrainConfig& config, const Task& task, const TaskModel& model) {
  Layout result;
  const Index examples = config.batch / config.accumulate;
  const Index parameters = count_parameters(*model.module);
  const Index read = model.block_positions() + model.options.source;
  result.shards =
      config.shards > 0 ? config.shards : default_shards(examples, task.context(), parameters);
  const Index wanted =
      config.threads > 0 ? config.threads : useful_threads(examples * read, parameters);
  // More threads than cores would only wait for each other.
  result.threads = static_cast<int>(std::min<Index>(wanted, processors()));
  return result;
}

}  // namespace

Plan make_plan(TrainConfig config, const Registry& registry, std::shared_ptr<const Task> task) {
  Plan plan;
  plan.task = task ? std::move(task) : make_task(config, registry);
  if (const std::string few = plan.task->few_prompts(); !few.empty())
    throw UsageError("{}, expected at least {} for a validation split", few, fewest_prompts);
  for (const auto& [name, value] : plan.task->recorded_options()) config.task_options[name] = value;
  plan.model = make_meta_model(config, *plan.task, registry);
  Module& module = *plan.model->module;
  {
    const MetaTensors weights;
    initialise(module, config.seed, plan.model->options.dtype);
  }
  freeze(module, config.freeze);
  plan.layout = layout(config, *plan.task, *plan.model);
  plan.need = estimate_memory(config, registry, *plan.model, *plan.task, plan.layout.shards,
                              plan.layout.threads);
  plan.config = std::move(config);
  return plan;
}

void check_memory(const Plan& plan, const Registry& registry, const MemoryLimit& limit) {
  if (plan.need.total() <= limit.bytes) return;
  const TrainConfig& config = plan.config;
  const std::string way = fitting_options(plan, registry, limit.bytes);
  throw UsageError("--layers {} --width {} --batch {} needs {} GB: {}; {} {} GB{}",
                   config.model.layers, config.model.width, config.batch,
                   gigabytes(plan.need.total()), parts(plan.need, config.optimizer), limit.by,
                   gigabytes(limit.bytes), way.empty() ? "" : fmt::format(";{} would fit", way));
}

}  // namespace tapehead
