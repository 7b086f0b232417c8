#include "options.hpp"
#include "../files/number.hpp"
#include "../files/strings.hpp"
#include "choices.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace tapehead {
namespace {

constexpr const char* dtype_option = "dtype";

std::string joined(const std::vector<std::string>& names, const char* separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

/// Makes the option that chooses a part.
Option part(const PartList& parts, std::string help) {
  Option option{parts.option(), std::move(help), TrainConfig().*parts.field(),
                joined(parts.names(), "|")};
  option.choices = parts.names();
  option.alias = parts.alias();
  option.chooses_part = true;
  option.get = [field = parts.field()](const TrainConfig& config) { return config.*field; };
  option.set = [field = parts.field()](TrainConfig& config, const std::string& given) {
    config.*field = given;
  };
  option.check = [get = option.get, dashed = "--" + option.name, known = option.choices](
                     const TrainConfig& config) { require_known(dashed, get(config), known); };
  return option;
}
/// Makes the option that chooses a part. Its help text lists the parts, because there are many.
Option listed_part(const PartList& parts, const std::string& help) {
  Option option = part(parts, help + joined(parts.names(), ", "));
  option.kind = "KIND";
  return option;
}

void append(std::vector<Option>& all, const char* group, std::vector<Option> options,
            Effect effect = Effect::result) {
  for (Option& option : options) {
    option.group = group;
    option.effect = effect;
    all.push_back(std::move(option));
  }
}

std::vector<Option> table(const Registry& registry) {
  std::vector<Option> all;
  const auto append_own = [&](const char* group, const std::vector<const PartList*>& kinds) {
    for (const PartList* kind : kinds) append(all, group, shared_options(*kind));
  };
  append(all, "Model",
         {part(registry.architectures(), "model architecture"),
          listed_part(registry.positions(), "position encoding: "),
          listed_part(registry.attentions(),
                      "token mixer (all but standard need --arch gpt or encoder): "),
          part(registry.norms(),
               "normalization before attention, MLP and head; rms has no parameters"),
          listed_part(registry.mlps(), "MLP activation (swiglu = gated, none = no MLP): ")});
  append(all, "Model", listed([](TrainConfig& config, Fields& f) {
           config.model.options(f);
           f(dtype_option, config.dtype, dtype_names,
             "number type (bf16 = f32 with matmul inputs rounded to bf16)");
         }));
  append_own("Model", {&registry.architectures(), &registry.positions(), &registry.attentions(),
                       &registry.norms(), &registry.mlps()});
  append(all, "Learning",
         {part(registry.optimizers(), "optimizer"),
          part(registry.schedules(),
               "learning-rate schedule after the warmup (wsd = constant, then linear decay)")});
  append(all, "Learning", listed(&TrainConfig::rate));
  append_own("Learning", {&registry.schedules(), &registry.optimizers()});
  append(all, "Learning", listed(&TrainConfig::learning));
  append(all, "Running", listed(&TrainConfig::evaluation));
  append(all, "Running", listed(&TrainConfig::running), Effect::none);
  append(all, "Running", listed(&TrainConfig::folder), Effect::folder);
  append(all, "Running", registry.options());
  for (Option& option : all) option.refusal = refusal_of(option.name, registry);
  return all;
}

/// Returns the result of `make`, cached by registry state and task. File readers call this often.
const std::vector<Option>& cached(const Registry& registry, const std::string& task,
                                  const std::function<std::vector<Option>()>& make) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, std::vector<Option>> made;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, is_new] = made.try_emplace({registry.version(), task});
  if (is_new) at->second = make();
  return at->second;
}

// ---- options of tasks

/// Returns the name of a value in the help, inferred from the default if the option has none.
std::string value_name(const Option& own) {
  if (!own.kind.empty()) return own.kind;
  if (!own.choices.empty()) return joined(own.choices, "|");
  const bool is_path = own.name == "data" || own.name == "merges" || own.name == "held-out";
  if (is_path && own.default_value.empty()) return "FILE";
  if (own.default_value == "true" || own.default_value == "false") return "true|false";
  if (read_whole<Index>(own.default_value)) return "N";
  return read_real(own.default_value) ? "X" : "TEXT";
}

/// Makes an option of a task, whose value is stored in TrainConfig::task_options.
Option in_task(Option option) {
  option.kind = value_name(option);
  option.group = "Task";
  option.get = [name = option.name](const TrainConfig& config) {
    const auto found = config.task_options.find(name);
    return found == config.task_options.end() ? "" : found->second;
  };
  option.set = [name = option.name, parse = option.set, check = option.check](
                   TrainConfig& config, const std::string& given) {
    TrainConfig scratch;
    if (parse) parse(scratch, given);
    if (check) check(scratch);
    config.task_options[name] = given;
  };
  option.check = {};
  return option;
}

}  // namespace

const std::vector<Option>& common_options(const Registry& registry) {
  return cached(registry, "", [&] { return table(registry); });
}

bool is_common_option(const std::string& name) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = {dtype_option};
    Fields list([&](const Field& field) { all.insert({field.name, field.alias}); });
    TrainConfig config;
    config.model.options(list);
    for (const auto visit : {&TrainConfig::rate, &TrainConfig::learning, &TrainConfig::evaluation,
                             &TrainConfig::running, &TrainConfig::folder})
      (config.*visit)(list);
    return all;
  }();
  return names.count(name) > 0;
}

const std::vector<Option>& all_options(const TaskEntry& entry, const Registry& registry) {
  const std::vector<Option>& common = common_options(registry);
  return cached(registry, entry.name, [&] {
    std::vector<Option> options;
    for (const Option& own : entry.options) options.push_back(in_task(own));
    for (Option option : common) {
      if (option.name == registry.architectures().option())
        option.kind = joined(architectures_for(entry, registry), "|");
      options.push_back(std::move(option));
    }
    return options;
  });
}

std::vector<std::string> architectures_for(const TaskEntry& task, const Registry& registry) {
  const auto allowed = [&](const std::string& name) { return contains(task.architectures, name); };
  std::vector<std::string> names = task.architectures;
  for (const std::string& name : registry.architectures().names())
    if (!allowed(name) && allowed(registry.architectures().make(name).like)) names.push_back(name);
  return names;
}

std::vector<Option> deciding_options(const std::string& task, const Registry& registry) {
  std::vector<Option> options;
  for (const Option& option : all_options(registry.find_task(task), registry))
    if (option.effect == Effect::result) options.push_back(option);
  return options;
}

std::vector<Option> differences(const TrainConfig& a, const TrainConfig& b,
                                const Registry& registry) {
  std::vector<Option> differing;
  for (Option& option : deciding_options(a.task, registry)) {
    const bool in_a = option.is_read(a), in_b = option.is_read(b);
    // An option that only one of the configurations reads counts as different unless it has its
    // default.
    const bool differs = in_a && in_b
                             ? option.get(a) != option.get(b)
                             : (in_a && !option.is_default(a)) || (in_b && !option.is_default(b));
    if (differs) differing.push_back(std::move(option));
  }
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

const Option& find_option(const std::vector<Option>& options, const std::string& name,
                          const std::string& task) {
  if (const auto found = find_named(options, name); found != options.end()) return *found;
  const std::string meant = without_alias(options, name);
  throw UsageError("{} has no option --{}{}", task, name,
                   meant == name ? suggestion(name, names_of(options), "--")
                                 : fmt::format("; did you mean --{}?", meant));
}

std::string without_alias(const std::vector<Option>& options, const std::string& name) {
  for (const Option& option : options)
    if (option.alias == name) return option.name;
  return name;
}

std::string current_name(const std::vector<Option>& options, const std::string& name,
                         const TrainConfig& config) {
  for (const Option& option : options) {
    if (option.name != name || !option.renamed) continue;
    if (const std::string renamed = option.renamed(config); !renamed.empty()) return renamed;
  }
  return name;
}

const Option& current_option(const std::vector<Option>& options, const std::string& name,
                             const TrainConfig& config) {
  return find_option(options, current_name(options, name, config), config.task);
}

void apply(const Settings& settings, const std::vector<Option>& options, TrainConfig& config) {
  // The chosen parts determine which options exist, so they are set first.
  for (const bool parts : {true, false})
    for (const auto& [name, value] : settings) {
      const Option& option = current_option(options, name, config);
      if (option.chooses_part == parts) option.set(config, value);
    }
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

TrainConfig default_config(const TaskEntry& entry) {
  TrainConfig config = entry.recipe;
  config.task = entry.name;
  for (const Option& own : entry.options) config.task_options.emplace(own.name, own.default_value);
  return config;
}

const Preset& find_preset(const TaskEntry& entry, const std::string& name) {
  return require_named(fmt::format("--preset of {}", entry.name), name, entry.presets);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix) {
  // Names of these options in other programs.
  static const std::multimap<std::string, std::string> elsewhere = {
      {"learning-rate", "lr"},       {"batch-size", "batch"},       {"epochs", "steps"},
      {"num-epochs", "steps"},       {"num-train-epochs", "steps"}, {"max-steps", "steps"},
      {"max-iters", "steps"},        {"num-layers", "layers"},      {"n-layer", "layers"},
      {"num-heads", "heads"},        {"n-head", "heads"},           {"hidden-size", "width"},
      {"d-model", "width"},          {"n-embd", "width"},           {"block-size", "context"},
      {"block-size", "length"},      {"context", "length"},         {"length", "context"},
      {"context-length", "context"}, {"context-length", "length"},  {"seq-len", "context"},
      {"seq-len", "length"},         {"max-seq-len", "context"},    {"max-seq-len", "length"},
      {"warmup-steps", "warmup"},    {"output-dir", "out"},         {"epsilon", "eps"},
      {"momentum", "beta1"},         {"wd", "weight-decay"},        {"adam-epsilon", "adam-eps"}};
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  std::string name = word.substr(dashes);
  std::replace(name.begin(), name.end(), '_', '-');
  const auto [first, last] = elsewhere.equal_range(name);
  for (auto ours = first; ours != last; ++ours)
    if (const std::string option = word.substr(0, dashes) + ours->second; contains(known, option))
      return fmt::format("; did you mean {}{}?", prefix, option);
  for (const char* device : {"device", "gpu", "cuda", "mps", "accelerator"})
    if (name == device) return "; Tapehead computes on the CPU, and has no GPU backend";
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, near);
}

}  // namespace tapehead
