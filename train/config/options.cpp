#include "options.hpp"
#include "../starts_with.hpp"
#include "choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>

namespace tapehead {
namespace {

void assign(Index& field, const std::string& option, const std::string& text) {
  field = to_index(option, text);
}
void assign(std::uint64_t& field, const std::string& option, const std::string& text) {
  field = to_seed(option, text);
}
void assign(double& field, const std::string& option, const std::string& text) {
  field = to_number(option, text);
}
void assign(std::string& field, const std::string&, const std::string& text) { field = text; }
void assign(bool& field, const std::string& option, const std::string& text) {
  field = to_flag(option, text);
}

// ---- rows: a function makes the row for each kind of value

/// Access to a field of a configuration, for reading or writing.
#define FIELD(path) \
  [](auto& config) -> auto& { return config.path; }

template <class Field>
TrainOption text(const char* name, std::string value, Field field, std::string help) {
  TrainOption option{name, std::move(value), std::move(help)};
  option.get = [=](const TrainConfig& config) { return fmt::format("{}", field(config)); };
  option.set = [=, dashed = "--" + option.name](TrainConfig& config, const std::string& given) {
    assign(field(config), dashed, given);
  };
  return option;
}

template <class Field>
TrainOption flag(const char* name, Field field, std::string help) {
  return text(name, "true|false", field, std::move(help));
}

// The key of a step's random numbers has 32 bits for the step.
constexpr Index most_steps = 0xffffffff, unlimited = std::numeric_limits<Index>::max();

template <class Field>
TrainOption whole(const char* name, Field field, Index low, Index high, std::string help) {
  TrainOption option = text(name, "N", field, std::move(help));
  option.check = [=, dashed = "--" + option.name](const TrainConfig& config) {
    check_range(dashed, field(config), low, high);
  };
  return option;
}

template <class Field>
TrainOption number(const char* name, const char* value, Field field, Range range,
                   std::string help) {
  TrainOption option = text(name, value, field, std::move(help));
  option.check = [=, dashed = "--" + option.name](const TrainConfig& config) {
    check_range(dashed, field(config), range);
  };
  return option;
}

const Range above_one = {[](double x) { return x > 1 && std::isfinite(x); }, "above 1"};

std::string joined(const std::vector<std::string>& names, const char* separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

void check_name(const char* option, const std::string& name,
                const std::vector<std::string>& known) {
  require_known(fmt::format("--{}", option), name, known);
}

/// An option that takes one of some names, and stores the name.
template <class Field>
TrainOption one_of(const char* name, Field field, std::vector<std::string> known,
                   std::string help) {
  TrainOption option = text(name, joined(known, "|"), field, std::move(help));
  option.check = [=](const TrainConfig& config) { check_name(name, field(config), known); };
  option.choices = std::move(known);
  return option;
}

/// An option that takes one of some names, and stores the value of that name.
template <class Field, class T, std::size_t n>
TrainOption choice(const char* name, Field field, const Choice<T> (&choices)[n], std::string help) {
  TrainOption option{name, joined(names_of(choices), "|"), std::move(help)};
  option.choices = names_of(choices);
  option.get = [=, &choices](const TrainConfig& config) { return name_of(choices, field(config)); };
  option.set = [=, &choices](TrainConfig& config, const std::string& given) {
    check_name(name, given, names_of(choices));
    field(config) = named(choices, given);
  };
  return option;
}

/// A choice with so many names that the help lists them in its text, not beside the option.
template <class Field, class T, std::size_t n>
TrainOption kind(const char* name, Field field, const Choice<T> (&choices)[n],
                 const std::string& help) {
  TrainOption option = choice(name, field, choices, help + joined(names_of(choices), ", "));
  option.value = "KIND";
  return option;
}

/// An option that names a part.
TrainOption part(const PartList& parts, std::string help) {
  const auto field = [member = parts.field()](auto& config) -> auto& { return config.*member; };
  return one_of(parts.option(), field, parts.names(), std::move(help));
}
/// The same for so many parts that the help lists them in its text, not beside the option.
TrainOption listed_part(const PartList& parts, const std::string& help) {
  TrainOption option = part(parts, help + joined(parts.names(), ", "));
  option.value = "KIND";
  return option;
}

TrainOption with(Effect effect, TrainOption option) {
  option.effect = effect;
  return option;
}

// ---- the table

std::vector<TrainOption> options_of_model(const Registry& registry) {
  return {
      part(registry.architectures(), "kind of model"),
      whole("layers", FIELD(model.layers), 1, 1024, "transformer blocks"),
      whole("heads", FIELD(model.heads), 1, 1024,
            "attention heads of a block; they divide the width, without --head-width"),
      whole("kv-heads", FIELD(model.kv_heads), 0, unlimited,
            "heads of keys and values; they divide the heads; 0: as many"),
      whole("head-width", FIELD(model.head_width), 0, 1 << 16,
            "width of a head; 0: --width / --heads"),
      whole("width", FIELD(model.width), 1, 1 << 16, "width of the residual stream"),
      listed_part(registry.positions(), "how positions are encoded: "),
      whole("reach", FIELD(model.positions.reach), 0, 1 << 16,
            "relative positions: longer distances count as this one"),
      number("rotary-base", "X", FIELD(model.positions.rotary_base), above_one,
             "rotary positions: the slowest pair turns by about 1 / X a position"),
      listed_part(registry.attentions(), "kind of attention; all but standard are for gpt: "),
      kind("attention-temperature", FIELD(model.temperature), temperature_names,
           "factors of the scores that are learned: "),
      choice("attention-scale", FIELD(model.scale), scale_names,
             "constant factor of the scores: 1/sqrt(head width), 1, or divided by the layer"),
      whole("window", FIELD(model.window), 0, unlimited,
            "self-attention: keys this far away or farther are hidden; 0: none is"),
      flag("hide-self", FIELD(model.hide_self),
           "no query of self-attention sees its own position; lsa implies it"),
      flag("qk-norm", FIELD(model.qk_norm), "RMS norm of queries and keys"),
      whole("convolution", FIELD(model.convolution), 0, 1024,
            "gpt: tokens back that attention and MLP read by a causal convolution; 0: none"),
      part(registry.norms(), "before each branch and the head; rms has no parameters"),
      number("norm-epsilon", "X", FIELD(model.epsilon), Range::positive(),
             "added to the variance that a norm divides by"),
      listed_part(registry.mlps(),
                  "activation of a block's MLP; swiglu is gated, none omits the MLP: "),
      whole("mlp-width", FIELD(model.mlp_width), 0, 1 << 20,
            "width between the MLP's layers; 0: 4 times --width, 8/3 times for swiglu"),
      flag("biases", FIELD(model.biases), "the blocks' linear layers have biases"),
      flag("tied-head", FIELD(model.tied), "the head shares the embedding's weights"),
      flag("residual", FIELD(model.residual),
           "add each branch to its input; false: replace the input"),
      number("init-std", "X", FIELD(model.init_std), Range::positive(),
             "standard deviation of the first weights"),
      flag("zero-out", FIELD(model.zero_out), "start projections into the residual at 0"),
      number("dropout", "P", FIELD(model.dropout), Range::fraction(),
             "fraction of activations that training drops"),
      one_of("dtype", FIELD(dtype), names_of(dtype_names),
             "type of the numbers; bf16 only for the layers' large products"),
  };
}

std::vector<TrainOption> options_of_learning(const Registry& registry) {
  return {
      part(registry.optimizers(), "the rule that updates parameters"),
      number("momentum", "P", FIELD(momentum), Range::fraction(), "muon: momentum of matrices"),
      number("adam-lr", "X", FIELD(adam_lr), Range::not_negative(),
             "muon: AdamW's rate for all but matrices; decays as --lr does"),
      number("lr", "X", FIELD(lr), Range::positive(), "learning rate, after the warmup"),
      number("min-lr", "X", FIELD(min_lr), Range::not_negative(),
             "learning rate at the end of the schedule"),
      whole("warmup", FIELD(warmup), 0, most_steps,
            "steps over which the learning rate rises to --lr"),
      part(registry.schedules(),
           "how the learning rate decays after warmup; wsd: flat, then linear"),
      number("decay", "P", FIELD(decay), Range::fraction(),
             "wsd: fraction of the steps over which it decays"),
      number("weight-decay", "X", FIELD(weight_decay), Range::not_negative(),
             "decay towards zero; not of biases and norms"),
      number("beta1", "X", FIELD(beta1), Range::fraction(),
             "decay of the mean gradient; sgd's momentum"),
      number("beta2", "X", FIELD(beta2), Range::fraction(), "decay of the mean squared gradient"),
      number("clip", "X", FIELD(clip), Range::not_negative(),
             "largest norm of the gradient; 0: any"),
      number("smoothing", "P", FIELD(smoothing), Range::fraction(),
             "label smoothing: fraction of each target spread over all tokens"),
      number("average", "P", FIELD(average), Range::fraction(),
             "decay of the moving average of weights that is evaluated and saved; 0: none"),
      whole("batch", FIELD(batch), 1, 1 << 20, "examples per step"),
      whole("accumulate", FIELD(accumulate), 1, unlimited,
            "micro-batches of a batch, run one after the other to save memory"),
      whole("steps", FIELD(steps), 1, most_steps, "steps in total"),
      text("until", "GOAL", FIELD(until),
           "exact-match=X or loss=X: end at the first evaluation that reaches it"),
      text("init", "RUN", FIELD(init), "start from the weights of another run"),
      text("freeze", "GLOBS", FIELD(freeze),
           "parameters that aren't trained, by path: tokens*,blocks.0.*"),
      flag("skip-bad-steps", FIELD(skip_bad_steps),
           "skip steps with a non-finite loss or gradient"),
      text("seed", "N", FIELD(seed), "seed of all random numbers"),
  };
}

std::vector<TrainOption> options_of_running() {
  return {
      whole("eval-every", FIELD(eval_every), 0, most_steps,
            "steps between evaluations; 0: only at the end"),
      whole("eval-examples", FIELD(eval_examples), 0, unlimited,
            "most held-out examples of an evaluation while training; 0: all"),
      with(Effect::none, whole("keep", FIELD(keep), 1, most_steps,
                               "checkpoints to keep: the last N, and the best")),
      text("shards", "N", FIELD(shards), "shards of a batch; 0: by its size and the model's"),
      with(Effect::none, flag("recompute", FIELD(model.recompute),
                              "recompute blocks in backward, to save memory")),
      with(Effect::none,
           flag("tensorboard", FIELD(tensorboard),
                "write the metrics to RUN/tensorboard as well, as TensorBoard reads them")),
      with(Effect::none, whole("threads", FIELD(threads), 0, 1024,
                               "threads to run on; 0: as many as have enough to do")),
      with(Effect::folder, text("out", "FOLDER", FIELD(out),
                                "folder of the run; default: the first free runs/TASK-N")),
  };
}

#undef FIELD

void append(std::vector<TrainOption>& all, const char* group, std::vector<TrainOption> options) {
  for (TrainOption& option : options) {
    option.group = group;
    all.push_back(std::move(option));
  }
}

std::vector<TrainOption> table(const Registry& registry) {
  std::vector<TrainOption> all;
  const auto append_own = [&](const char* group, const std::vector<const PartList*>& kinds) {
    for (const PartList* kind : kinds)
      for (const auto& part : kind->all()) append(all, group, part->options);
  };
  append(all, "Model", options_of_model(registry));
  append_own("Model", {&registry.architectures(), &registry.positions(), &registry.attentions(),
                       &registry.norms(), &registry.mlps()});
  append(all, "Learning", options_of_learning(registry));
  append_own("Learning", {&registry.optimizers(), &registry.schedules()});
  append(all, "Running", options_of_running());
  append(all, "Running", registry.options());
  return all;
}

/// What `make` returns, made at the first call for this state of a registry and for this task:
/// readers of files ask often.
const std::vector<TrainOption>& made_once(const Registry& registry, const std::string& task,
                                          const std::function<std::vector<TrainOption>()>& make) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, std::vector<TrainOption>> made;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, is_new] = made.try_emplace({registry.version(), task});
  if (is_new) at->second = make();
  return at->second;
}

// ---- a task's own

/// The name of a value in the help, inferred from the default.
const char* value_name(const TaskOption& own) {
  if (own.name == "data" || own.name == "merges" || own.name == "held-out") return "FILE";
  const bool number = own.value.find_first_not_of("0123456789") == std::string::npos;
  return number && !own.value.empty() ? "N" : "TEXT";
}

TrainOption own_option(const TaskOption& own) {
  TrainOption option{own.name, value_name(own), own.help, "Task"};
  option.get = [name = own.name](const TrainConfig& config) {
    const auto found = config.task_options.find(name);
    return found == config.task_options.end() ? "" : found->second;
  };
  option.set = [name = own.name](TrainConfig& config, const std::string& given) {
    config.task_options[name] = given;
  };
  return option;
}

}  // namespace

const std::vector<TrainOption>& common_options(const Registry& registry) {
  return made_once(registry, "", [&] { return table(registry); });
}

bool is_common_option(const std::string& name) {
  static const std::vector<TrainOption> options = table({});
  return std::any_of(options.begin(), options.end(),
                     [&](const TrainOption& option) { return option.name == name; });
}

const std::vector<TrainOption>& all_options(const TaskEntry& entry, const Registry& registry) {
  return made_once(registry, entry.name, [&] {
    std::vector<TrainOption> options;
    for (const TaskOption& own : entry.options) options.push_back(own_option(own));
    for (TrainOption& option : table(registry)) {
      if (option.name == registry.architectures().option())
        option.value = joined(architectures_for(entry, registry), "|");
      options.push_back(std::move(option));
    }
    return options;
  });
}

std::vector<std::string> architectures_for(const TaskEntry& task, const Registry& registry) {
  const auto allowed = [&](const std::string& name) {
    return std::count(task.architectures.begin(), task.architectures.end(), name) > 0;
  };
  std::vector<std::string> names = task.architectures;
  for (const std::string& name : registry.architectures().names())
    if (!allowed(name) && allowed(registry.architectures().make(name).like)) names.push_back(name);
  return names;
}

std::vector<TrainOption> deciding_options(const std::string& task, const Registry& registry) {
  std::vector<TrainOption> options;
  for (const TrainOption& option : all_options(registry.find_task(task), registry))
    if (option.effect == Effect::result) options.push_back(option);
  return options;
}

std::vector<TrainOption> differences(const TrainConfig& a, const TrainConfig& b,
                                     const Registry& registry) {
  std::vector<TrainOption> differing;
  for (TrainOption& option : deciding_options(a.task, registry))
    if (option.get(a) != option.get(b)) differing.push_back(std::move(option));
  return differing;
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  std::istringstream words(text);
  for (std::string name, value; words >> name;) {
    if (!starts_with(name, "--") || !(words >> value))
      throw ValueError("settings: expected '--name value', got '{}'", text);
    settings.emplace_back(name.substr(2), value);
  }
  return settings;
}

const TrainOption& find_option(const std::vector<TrainOption>& options, const std::string& name,
                               const std::string& task) {
  for (const TrainOption& option : options)
    if (option.name == name) return option;
  std::vector<std::string> names;
  for (const TrainOption& option : options) names.push_back(option.name);
  throw UsageError("{} has no option --{}{}", task, name, suggestion(name, names, "--"));
}

void apply(const Settings& settings, const std::vector<TrainOption>& options, TrainConfig& config) {
  for (const auto& [name, value] : settings)
    find_option(options, name, config.task).set(config, value);
}

TrainConfig recipe(const std::string& settings) {
  static const Registry registry;
  return recipe(settings, registry);
}
TrainConfig recipe(const std::string& settings, const Registry& registry) {
  TrainConfig config;
  apply(parse_settings(settings), common_options(registry), config);
  return config;
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

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix) {
  // What other programs call some of our options.
  static const std::map<std::string, std::string> elsewhere = {
      {"learning-rate", "lr"},    {"batch-size", "batch"},       {"epochs", "steps"},
      {"num-epochs", "steps"},    {"num-train-epochs", "steps"}, {"max-steps", "steps"},
      {"max-iters", "steps"},     {"num-layers", "layers"},      {"n-layer", "layers"},
      {"num-heads", "heads"},     {"n-head", "heads"},           {"hidden-size", "width"},
      {"d-model", "width"},       {"n-embd", "width"},           {"block-size", "context"},
      {"warmup-steps", "warmup"}, {"output-dir", "out"}};
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  std::string name = word.substr(dashes);
  std::replace(name.begin(), name.end(), '_', '-');
  if (const auto ours = elsewhere.find(name); ours != elsewhere.end())
    if (const std::string option = word.substr(0, dashes) + ours->second;
        std::count(known.begin(), known.end(), option) > 0)
      return fmt::format("; did you mean {}{}?", prefix, option);
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, near);
}

}  // namespace tapehead
