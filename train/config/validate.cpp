#include "../../optim/schedule.hpp"
#include "../step.hpp"
#include "choices.hpp"
#include "configured.hpp"
#include "goal.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

void check_name(const char* option, const std::string& name,
                const std::vector<std::string>& known) {
  if (std::count(known.begin(), known.end(), name) == 0) refuse_unknown(option, name, known);
}

void check_whole(const char* option, Index value, Index low, Index high) {
  if (value < low) throw UsageError("{} must be at least {}, not {}", option, low, value);
  if (value > high) throw UsageError("{} must be at most {}, not {}", option, high, value);
}

void check_finite(const char* option, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    throw UsageError("{} must be at least 0, not {}", option, value);
}

void check_share(const char* option, double value) {
  if (!(value >= 0 && value < 1))
    throw UsageError("{} must be at least 0 and below 1, not {}", option, value);
}

void check_model(const TrainConfig& config, const TaskEntry& task, const Registry& registry) {
  check_name("--arch", config.arch, architecture_names());
  if (std::count(task.architectures.begin(), task.architectures.end(), config.arch) == 0)
    throw UsageError("--arch {}: {} is learned by {}", config.arch, task.name,
                     fmt::join(task.architectures, ", "));
  check_whole("--layers", config.layers, 1, 1024);
  check_whole("--heads", config.heads, 1, 1024);
  check_whole("--kv-heads", config.kv_heads, 0, config.heads);
  check_whole("--width", config.width, 1, 1 << 16);
  if (config.width % config.heads != 0)
    throw UsageError("--heads {} doesn't divide --width {}", config.heads, config.width);
  if (config.kv_heads > 0 && config.heads % config.kv_heads != 0)
    throw UsageError("--kv-heads {} doesn't divide --heads {}", config.kv_heads, config.heads);
  check_name("--position", config.position, names_of(position_names));
  if (config.position == "rotary" && config.width / config.heads % 2 != 0)
    throw UsageError("--position rotary turns pairs: --width {} / --heads {} must be even, not {}",
                     config.width, config.heads, config.width / config.heads);
  check_whole("--reach", config.reach, 0, 1 << 16);
  check_name("--attention", config.attention, registry.attention_names());
  if (registry.find_attention(config.attention) && config.arch != "gpt")
    throw UsageError("--attention {} is for --arch gpt; {} needs standard", config.attention,
                     config.arch);
  check_name("--attention-temperature", config.attention_temperature, names_of(temperature_names));
  check_name("--norm", config.norm, names_of(norm_names));
  check_name("--mlp", config.mlp, names_of(mlp_names));
  if (config.zero_out && !config.residual)
    throw UsageError(
        "--zero-out true needs --residual true: nothing would pass a block, nor its gradient");
  check_share("--dropout", config.dropout);
  check_name("--dtype", config.dtype, names_of(dtype_names));
}

}  // namespace

TrainConfig checked(TrainConfig config, const Registry& registry) {
  const TaskEntry& task = registry.find_task(config.task);
  config.task_options = completed(config.task_options, task.options);

  check_model(config, task, registry);

  constexpr Index most_steps = 0xffffffff;  // the random numbers of a step are found by 32 bits
  check_name("--optimizer", config.optimizer, {"adamw", "lion", "muon", "sgd"});
  check_share("--momentum", config.momentum);
  check_finite("--adam-lr", config.adam_lr);
  if (!(config.lr > 0 && std::isfinite(config.lr)))
    throw UsageError("--lr must be above 0, not {}", config.lr);
  check_finite("--min-lr", config.min_lr);
  if (config.min_lr > config.lr)
    throw UsageError("--min-lr {} is above --lr {}", config.min_lr, config.lr);
  check_whole("--warmup", config.warmup, 0, most_steps);
  check_name("--schedule", config.schedule, names_of(schedule_names));
  check_share("--decay", config.decay);
  check_finite("--weight-decay", config.weight_decay);
  check_share("--beta1", config.beta1);
  check_share("--beta2", config.beta2);
  check_finite("--clip", config.clip);

  check_whole("--batch", config.batch, 1, 1 << 20);
  check_whole("--steps", config.steps, 1, most_steps);
  check_whole("--keep", config.keep, 1, most_steps);
  check_whole("--eval-every", config.eval_every, 0, most_steps);
  check_whole("--accumulate", config.accumulate, 1, config.batch);
  if (config.batch % config.accumulate != 0)
    throw UsageError("--accumulate {} doesn't divide --batch {}", config.accumulate, config.batch);
  const Index part = config.batch / config.accumulate;  // what is cut into shards
  const bool power = config.shards >= 0 && (config.shards & (config.shards - 1)) == 0;
  if (!power || (config.shards > 0 && part % config.shards != 0))
    throw UsageError(
        "--shards {}: must be a power of two that divides --batch {}{}", config.shards,
        config.batch,
        part == config.batch ? "" : fmt::format(" / --accumulate {}", config.accumulate));
  check_share("--smoothing", config.smoothing);
  check_share("--average", config.average);
  Goal::parse(config.until);
  check_whole("--threads", config.threads, 0, 1024);
  return config;
}

}  // namespace tapehead
