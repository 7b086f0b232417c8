#include "validate.hpp"
#include "goal.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

void check_most(const char* option, Index value, Index most) {
  if (value > most) throw UsageError("{} must be at most {}, not {}", option, most, value);
}

void check_model(const TrainConfig& config, const TaskEntry& task, const Registry& registry) {
  if (std::count(task.architectures.begin(), task.architectures.end(), config.arch) == 0)
    throw UsageError("--arch {}: {} is learned by {}", config.arch, task.name,
                     fmt::join(task.architectures, ", "));
  const ModelOptions& model = config.model;
  check_most("--kv-heads", model.kv_heads, model.heads);
  if (model.width % model.heads != 0)
    throw UsageError("--heads {} doesn't divide --width {}", model.heads, model.width);
  if (model.kv_heads > 0 && model.heads % model.kv_heads != 0)
    throw UsageError("--kv-heads {} doesn't divide --heads {}", model.kv_heads, model.heads);
  if (model.position == Position::rotary && model.width / model.heads % 2 != 0)
    throw UsageError(
        "--position rotary rotates pairs: --width {} / --heads {} must be even, not {}",
        model.width, model.heads, model.width / model.heads);
  if (registry.find_attention(config.attention) && config.arch != "gpt")
    throw UsageError("--attention {} is for --arch gpt; {} needs standard", config.attention,
                     config.arch);
  if (model.zero_out && !model.residual)
    throw UsageError(
        "--zero-out true needs --residual true: nothing would pass a block, nor its gradient");
}

void check_batch(const TrainConfig& config) {
  check_most("--accumulate", config.accumulate, config.batch);
  if (config.batch % config.accumulate != 0)
    throw UsageError("--accumulate {} doesn't divide --batch {}", config.accumulate, config.batch);
  const Index micro_batch = config.batch / config.accumulate;  // to be cut into shards
  const bool power = config.shards >= 0 && (config.shards & (config.shards - 1)) == 0;
  if (!power || (config.shards > 0 && micro_batch % config.shards != 0))
    throw UsageError(
        "--shards {}: must be a power of two that divides --batch {}{}", config.shards,
        config.batch,
        micro_batch == config.batch ? "" : fmt::format(" / --accumulate {}", config.accumulate));
}

}  // namespace

TrainConfig validated(TrainConfig config, const Registry& registry) {
  const TaskEntry& task = registry.find_task(config.task);
  config.task_options = completed(config.task_options, task.options);
  for (const TrainOption& option : common_options(registry))
    if (option.check) option.check(config);
  check_model(config, task, registry);
  if (config.min_lr > config.lr)
    throw UsageError("--min-lr {} is above --lr {}", config.min_lr, config.lr);
  check_batch(config);
  Goal::parse(config.until);
  return config;
}

}  // namespace tapehead
