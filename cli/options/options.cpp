#include "options.hpp"
#include "../../optim/schedule.hpp"
#include "../../train/config/choices.hpp"
#include "../../train/model/architecture.hpp"

#include <algorithm>
#include <charconv>

namespace tapehead {
namespace {

template <class T>
T parsed(const std::string& option, const std::string& text, const char* kind) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end)
    throw UsageError("{}: expected {}, got '{}'", option, kind, text);
  return number;
}

void assign(Index& field, const std::string& option, const std::string& text) {
  field = to_index(option, text);
}
void assign(std::uint64_t& field, const std::string& option, const std::string& text) {
  field = parsed<std::uint64_t>(option, text, "a whole number of 0 or more");
}
void assign(double& field, const std::string& option, const std::string& text) {
  field = to_number(option, text);
}
void assign(std::string& field, const std::string&, const std::string& text) { field = text; }
void assign(bool& field, const std::string& option, const std::string& text) {
  if (text != "true" && text != "false")
    throw UsageError("{}: expected true or false, got '{}'", option, text);
  field = text == "true";
}

template <class T>
TrainOption option(const char* name, std::string value, T TrainConfig::*field, std::string help,
                   const char* group) {
  const std::string dashed = fmt::format("--{}", name);
  return {
      name,
      std::move(value),
      std::move(help),
      group,
      [=](const TrainConfig& config) { return fmt::format("{}", config.*field); },
      [=](TrainConfig& config, const std::string& text) { assign(config.*field, dashed, text); }};
}

/// What to call a value, by the default.
std::string kind_of(const TaskOption& own) {
  if (own.name == "data") return "FILE";
  const bool number = own.value.find_first_not_of("0123456789") == std::string::npos;
  return number && !own.value.empty() ? "N" : "TEXT";
}

std::string any_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

/// So many that they would leave no room beside them stand in the help.
std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> names_of(const std::vector<TrainOption>& options) {
  std::vector<std::string> names;
  for (const TrainOption& option : options) names.push_back(option.name);
  return names;
}

}  // namespace

Index to_index(const std::string& option, const std::string& text) {
  return parsed<Index>(option, text, "a whole number");
}
double to_number(const std::string& option, const std::string& text) {
  return parsed<double>(option, text, "a number");
}

std::vector<TrainOption> common_options(const Registry& registry) {
  using C = TrainConfig;
  const char *model = "Model", *learning = "Learning", *running = "Running";
  std::vector<TrainOption> options = {
      option("arch", any_of(architecture_names()), &C::arch, "kind of model", model),
      option("layers", "N", &C::layers, "transformer blocks", model),
      option("heads", "N", &C::heads, "attention heads of a block; they divide the width", model),
      option("kv-heads", "N", &C::kv_heads, "heads of keys and values, dividing heads; 0: as many",
             model),
      option("width", "N", &C::width, "of the residual stream", model),
      option("position", "KIND", &C::position,
             "how it knows where a symbol stands: " + listed(names_of(position_names)), model),
      option("reach", "N", &C::reach, "relative positions: distances beyond it are one", model),
      option("attention", any_of(registry.attention_names()), &C::attention,
             "kind of attention; a program's own is for gpt", model),
      option("attention-temperature", "KIND", &C::attention_temperature,
             "what factors are learned on scores: " + listed(names_of(temperature_names)), model),
      option("qk-norm", "true|false", &C::qk_norm, "RMS norm of queries and keys", model),
      option("norm", any_of(names_of(norm_names)), &C::norm,
             "before each branch and the head; rms is without parameters", model),
      option("mlp", any_of(names_of(mlp_names)), &C::mlp,
             "what a block's MLP computes inside; swiglu is gated, none leaves it out", model),
      option("residual", "true|false", &C::residual, "add a branch to its input, not replace it",
             model),
      option("zero-out", "true|false", &C::zero_out, "start projections into the residual at 0",
             model),
      option("dropout", "P", &C::dropout, "share of activations that training drops", model),
      option("dtype", any_of(names_of(dtype_names)), &C::dtype,
             "type of the numbers; bf16 is for large products alone", model),

      option("optimizer", "adamw|lion|muon|sgd", &C::optimizer, "how gradients change parameters",
             learning),
      option("momentum", "P", &C::momentum, "muon: of matrices", learning),
      option("adam-lr", "X", &C::adam_lr, "muon: AdamW's rate for all but matrices; falls as --lr",
             learning),
      option("lr", "X", &C::lr, "learning rate, after the warmup", learning),
      option("min-lr", "X", &C::min_lr, "learning rate at the end of the schedule", learning),
      option("warmup", "N", &C::warmup, "steps to reach the learning rate", learning),
      option("schedule", any_of(names_of(schedule_names)), &C::schedule,
             "how the learning rate falls after it; wsd: flat, then linear", learning),
      option("decay", "P", &C::decay, "wsd: share of the steps over which it falls", learning),
      option("weight-decay", "X", &C::weight_decay, "pull to zero; not of biases and norms",
             learning),
      option("beta1", "X", &C::beta1, "decay of the mean gradient; sgd's momentum", learning),
      option("beta2", "X", &C::beta2, "decay of the mean squared gradient", learning),
      option("clip", "X", &C::clip, "largest gradient norm; 0: any", learning),
      option("smoothing", "P", &C::smoothing,
             "share of each target that training spreads over all symbols", learning),
      option("average", "P", &C::average,
             "decay of a moving average of the weights, which is what is kept; 0: none", learning),
      option("batch", "N", &C::batch, "examples a step", learning),
      option("accumulate", "N", &C::accumulate,
             "parts of a batch run one after the other, to save memory", learning),
      option("steps", "N", &C::steps, "to take, all in all", learning),
      option("until", "GOAL", &C::until,
             "accuracy=X or loss=X: end at the first evaluation that reaches it", learning),
      option("init", "RUN", &C::init, "start from the weights of another run", learning),
      option("freeze", "GLOBS", &C::freeze,
             "parameters that stay as they are, by path: tokens*,blocks.0.*", learning),
      option("skip-bad-steps", "true|false", &C::skip_bad_steps,
             "leave out steps whose loss or gradient isn't finite", learning),
      option("seed", "N", &C::seed, "of all random numbers", learning),

      option("eval-every", "N", &C::eval_every, "steps between evaluations; 0: at the end",
             running),
      option("keep", "N", &C::keep, "checkpoints to keep: the last so many, and the best", running),
      option("shards", "N", &C::shards, "parts of a batch; 0: by its size and the model's",
             running),
      option("recompute", "true|false", &C::recompute,
             "compute blocks again in backward, to save memory", running),
      option("tensorboard", "true|false", &C::tensorboard,
             "write the metrics to RUN/tensorboard as well, as TensorBoard reads them", running),
      option("threads", "N", &C::threads, "to run on; 0: one a processor", running),
      option("out", "FOLDER", &C::out, "of the run; else the first free runs/TASK-N", running),
  };
  for (TrainOption& each : options)
    each.resumable = each.name == "keep" || each.name == "recompute" ||
                     each.name == "tensorboard" || each.name == "threads";
  return options;
}

std::vector<TrainOption> own_options(const TaskEntry& entry) {
  std::vector<TrainOption> options;
  for (const TaskOption& own : entry.options)
    options.push_back({own.name, kind_of(own), own.help, "Task",
                       [name = own.name](const TrainConfig& config) {
                         const auto found = config.task_options.find(name);
                         return found == config.task_options.end() ? "" : found->second;
                       },
                       [name = own.name](TrainConfig& config, const std::string& text) {
                         config.task_options[name] = text;
                       }});
  return options;
}

std::vector<TrainOption> all_options(const TaskEntry& entry, const Registry& registry) {
  std::vector<TrainOption> options = own_options(entry);
  for (TrainOption& option : common_options(registry)) {
    if (option.name == "arch") option.value = any_of(entry.architectures);
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<TrainOption> deciding_options(const std::string& task, const Registry& registry) {
  std::vector<TrainOption> options;
  for (TrainOption& option : all_options(registry.find_task(task), registry))
    if (!option.resumable && option.name != "out") options.push_back(std::move(option));
  return options;
}

std::vector<TrainOption> differences(const TrainConfig& a, const TrainConfig& b,
                                     const Registry& registry) {
  std::vector<TrainOption> differing;
  for (TrainOption& option : deciding_options(a.task, registry))
    if (option.get(a) != option.get(b)) differing.push_back(std::move(option));
  return differing;
}

TrainConfig recipe_of(const TaskEntry& entry) {
  TrainConfig config = entry.recipe;
  config.task = entry.name;
  for (const TaskOption& own : entry.options) config.task_options.emplace(own.name, own.value);
  return config;
}

const Preset& find_preset(const TaskEntry& entry, const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : entry.presets) {
    if (preset.name == name) return preset;
    known.push_back(preset.name);
  }
  refuse_unknown(fmt::format("--preset of {}", entry.name), name, known);
}

const TrainOption& find_option(const std::vector<TrainOption>& options, const std::string& name,
                               const std::string& task) {
  for (const TrainOption& option : options)
    if (option.name == name) return option;
  throw UsageError("{} has no option --{}{}", task, name,
                   suggestion(name, names_of(options), "--"));
}

void apply(const Settings& settings, const std::vector<TrainOption>& options, TrainConfig& config) {
  for (const auto& [name, value] : settings)
    find_option(options, name, config.task).set(config, value);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, near);
}

}  // namespace tapehead
