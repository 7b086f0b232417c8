#include "validate.hpp"
#include "goal.hpp"

namespace tapehead {
namespace {

/// Throws UsageError for an unknown part.
void require_parts(const TrainConfig& config, const Registry& registry) {
  for (const PartList* kind : registry.kinds()) kind->chosen(config);
}

/// Returns the values of the options that the chosen parts and the program declare.
OwnValues own_values(const TrainConfig& config, const Registry& registry) {
  OwnValues own;
  for (const PartList* kind : registry.kinds())
    for (const Option& option : kind->chosen(config).options)
      own.texts[option.name] = option.get(config);
  for (const Option& option : registry.options()) own.texts[option.name] = option.get(config);
  return own;
}

bool reads_position(const PartInfo& attention, const Registry& registry) {
  return contains(attention.reads, registry.positions().option());
}

/// Returns whether the position encoding acts in attention layers that have none.
bool is_position_unused(const TrainConfig& config, const Registry& registry) {
  return !reads_position(registry.attentions().chosen(config), registry) &&
         model_options(config, registry).position.has_attention_scheme();
}

void check_position(const TrainConfig& config, const Registry& registry) {
  if (!is_position_unused(config, registry)) return;
  const std::string option = registry.positions().option();
  std::vector<std::string> others;
  for (const auto& part : registry.attentions().all())
    if (reads_position(*part, registry)) others.push_back(part->name);
  throw UsageError("{}", has_no_effect(fmt::format("{} {}", option, config.position), "attention",
                                       config.attention, others));
}

/// Throws UsageError if an option is above `most`, the value of option `limit`.
void check_most(const char* option, Index value, const char* limit, Index most) {
  if (value > most)
    throw UsageError("{} must be at most {} {}, not {}", option, limit, most, value);
}

void check_model(const TrainConfig& config, const TaskEntry& task, const Registry& registry) {
  const std::vector<std::string> known = architectures_for(task, registry);
  if (!contains(known, config.arch))
    throw UsageError("{} supports only --arch {}, got --arch {}", task.name, alternatives(known),
                     config.arch);
  if (task.check) task.check(config);
  if (!registry.architectures().make(config.arch).blocks) return;
  const ModelOptions model = model_options(config, registry);
  check_most("--share-layers", model.share_layers, "--layers", model.layers);
  check_most("--kv-heads", model.kv_heads, "--heads", model.heads);
  if (model.head_width == 0 && model.width % model.heads != 0)
    throw UsageError("--heads {} doesn't divide --width {}", model.heads, model.width);
  if (model.kv_heads > 0 && model.heads % model.kv_heads != 0)
    throw UsageError("--kv-heads {} doesn't divide --heads {}", model.kv_heads, model.heads);
  if (model.position.as<RotaryPositions>() && head_width_of(model) % 2 != 0)
    throw UsageError("--position rotary needs an even head width, but {} is {}",
                     model.head_width > 0
                         ? "--head-width"
                         : fmt::format("--width {} / --heads {}", model.width, model.heads),
                     head_width_of(model));
  using Own = MakeArchitecture::OwnAttention;
  const Own takes = registry.architectures().make(config.arch).own_attention;
  if (!model.attention.fits_decoder && takes == Own::none)
    throw UsageError(
        "--attention {} works only with --arch gpt or encoder; with --arch {}, use --attention "
        "standard",
        config.attention, config.arch);
  if (takes == Own::causal && !model.attention.causal)
    throw UsageError("--attention {} isn't causal, which --arch {} requires; use --arch encoder",
                     config.attention, config.arch);
  if (model.convolution > 0 && config.arch != "gpt")
    throw UsageError("--convolution has no effect with --arch {}; remove it, or use --arch gpt",
                     config.arch);
  if (model.zero_out && !model.residual)
    throw UsageError(
        "--zero-out true needs --residual true; otherwise neither activations nor gradients pass a "
        "block");
}

void check_batch(const TrainConfig& config) {
  check_most("--accumulate", config.accumulate, "--batch", config.batch);
  if (config.batch % config.accumulate != 0)
    throw UsageError("--accumulate {} doesn't divide --batch {}", config.accumulate, config.batch);
  const Index micro_batch = config.batch / config.accumulate;  // divided into shards
  const bool power = config.shards >= 0 && (config.shards & (config.shards - 1)) == 0;
  if (!power || (config.shards > 0 && micro_batch % config.shards != 0))
    throw UsageError(
        "--shards {}: must be a power of two that divides --batch {}{}", config.shards,
        config.batch,
        micro_batch == config.batch ? "" : fmt::format(" / --accumulate {}", config.accumulate));
}

/// Checks each option individually.
void check_options(const TrainConfig& config, const Registry& registry) {
  for (const Option& option : common_options(registry)) {
    if (option.is_read(config)) {
      if (option.check) option.check(config);
    } else if (!option.is_default(config)) {
      throw UsageError("{}", option.refusal(config));
    }
  }
}

}  // namespace

TrainConfig validated(TrainConfig config, const Registry& registry) {
  const TaskEntry& task = registry.find_task(config.task);
  config.task_options = completed(config.task_options, task.options);
  const OwnValues own = own_values(config, registry);
  check_options(config, registry);
  config.own = own;
  check_position(config, registry);
  check_model(config, task, registry);
  if (config.init.empty() && (!config.init_only.empty() || config.init_missing))
    throw UsageError("--{} has no effect without --init; add --init RUN, or remove it",
                     config.init_missing ? "init-missing" : "init-only");
  if (const auto least = own.texts.find("min-lr");
      least != own.texts.end() && to_number("--min-lr", least->second) > config.lr)
    throw UsageError("--min-lr must be at most --lr {}, not {}", config.lr, least->second);
  check_batch(config);
  Goal::parse(config.until);
  return config;
}

std::vector<Option> read_options(const TrainConfig& config, const Registry& registry) {
  require_parts(config, registry);
  std::vector<Option> options;
  for (const Option& option : all_options(registry.find_task(config.task), registry))
    if (option.is_read(config)) options.push_back(option);
  return options;
}

TrainConfig without_unused(TrainConfig config, const Settings& given, const Registry& registry) {
  require_parts(config, registry);
  for (const Option& option : common_options(registry)) {
    if (option.is_read(config)) continue;
    const bool is_old_name = option.renamed && !option.renamed(config).empty();
    for (const auto& [name, value] : given)
      if (name == option.name && !is_old_name) throw UsageError("{}", option.refusal(config));
    option.reset(config);
  }
  const auto is_position = [&](const auto& setting) {
    return setting.first == registry.positions().option();
  };
  if (any_of(given, is_position)) return config;
  TrainConfig complete = config;
  complete.own = own_values(config, registry);
  // A task's position encoding doesn't suit every mixer.
  if (is_position_unused(complete, registry)) config.position = "none";
  return config;
}

TrainConfig resolved(const TrainConfig& config, const Settings& given, const Registry& registry) {
  return validated(without_unused(config, given, registry), registry);
}

}  // namespace tapehead
