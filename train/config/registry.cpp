#include "registry.hpp"
#include "length_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cctype>

namespace tapehead {
namespace {

/// Returns the names of options with their aliases.
std::vector<std::string> all_names_of(const std::vector<Option>& options) {
  std::vector<std::string> names = names_of(options);
  for (const Option& option : options)
    if (!option.alias.empty()) names.push_back(option.alias);
  return names;
}

/// Throws ValueError for a name that isn't a valid word on the command line.
void check_name(const std::string& what, const std::string& name) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name[0] == '-' || !all_of(name, fits))
    throw ValueError(
        "registry: {} '{}': a name may contain only letters, digits, '-', '_', '.' and non-ASCII "
        "characters, and must not begin with '-'",
        what, name);
}

void refuse_taken(const char* what, const std::string& name,
                  const std::vector<std::string>& names) {
  check_name(what, name);
  if (contains(names, name))
    throw ValueError("registry: {} '{}' is already registered", what, name);
}

/// Throws ValueError if a required function is missing.
template <class Function>
void require_function(const std::string& what, const std::string& name, const char* function,
                      const Function& given) {
  if (!given) throw ValueError("registry: {} '{}' has no function {}", what, name, function);
}

void check_functions(const std::string& kind, const ModelPart& part) {
  require_function(kind, part.name, "make", part.make);
}
void check_functions(const std::string& kind, const SchedulePart& part) {
  require_function(kind, part.name, "make", part.make);
}
void check_functions(const std::string& kind, const OptimizerPart& part) {
  require_function(kind, part.name, "make", part.make.make);
  require_function(kind, part.name, "moments", part.make.moments);
}
void check_functions(const std::string& kind, const ArchitecturePart& part) {
  require_function(kind, part.name, "make", part.make.make);
  require_function(kind, part.name, "set_lengths", part.make.set_lengths);
}

/// Throws ValueError if another part of the kind declares the option with another type. The command
/// line parses options before it knows the chosen part.
void check_shares(const PartList& kind, const std::string& owner, const Option& option) {
  const auto type = [](const Option& one) { return one.kind == "P" ? "X" : one.kind; };
  for (const auto& part : kind.all())
    for (const Option& other : part->options)
      if (other.name == option.name &&
          (type(other) != type(option) || other.choices != option.choices))
        throw ValueError("registry: {}: --{} takes {}, but --{} of {} '{}' takes {}", owner,
                         option.name, option.kind, option.name, kind.option(), part->name,
                         other.kind);
}

}  // namespace

std::uint64_t Registry::next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string Registry::owner_of(const std::string& option, bool of_tasks,
                               const PartList* sharing) const {
  const auto named = [&](const auto& one) { return one.name == option || one.alias == option; };
  const std::vector<const PartList*> all = kinds();
  const bool chooses_part = any_of(all, [&](const PartList* kind) {
    return option == kind->option() || option == kind->alias();
  });
  if (chooses_part || is_common_option(option)) {
    std::vector<std::string> readers;  // parts that read the option; none if every run has it
    for (const PartList* kind : kinds())
      for (const auto& part : kind->all())
        if (contains(part->reads, option))
          readers.push_back(fmt::format("{} '{}'", kind->option(), part->name));
    return readers.empty() ? "every run" : readers[0];
  }
  if (any_of(options_, named)) return "every run of this program";
  for (const PartList* kind : kinds())
    for (const auto& part : kind->all())
      if (kind != sharing && any_of(part->options, named))
        return fmt::format("{} '{}'", kind->option(), part->name);
  for (const TaskEntry& task : tasks_)
    if (of_tasks && any_of(task.options, named)) return fmt::format("task '{}'", task.name);
  return "";
}

void Registry::refuse_options(const std::string& owner, const std::vector<std::string>& names,
                              bool of_tasks, const PartList* sharing) const {
  std::vector<std::string> taken;
  for (const std::string& name : names) {
    check_name(owner + ": option", name);
    if (std::count(names.begin(), names.end(), name) > 1)
      throw ValueError("registry: {}: two options have the name --{}", owner, name);
    const std::string other =
        has_command_option(name) ? "train or sweep" : owner_of(name, of_tasks, sharing);
    if (!other.empty()) taken.push_back(fmt::format("--{} ({})", name, other));
  }
  if (taken.empty()) return;
  const std::string first = taken[0].substr(0, taken[0].find(' '));
  throw ValueError("registry: {}: option names already in use: {}; use a prefix, as in --my-{}",
                   owner, fmt::join(taken, "; "), first.substr(2));
}

void Registry::task(TaskEntry entry) {
  refuse_taken("task", entry.name, names_of(tasks_));
  require_function("task", entry.name, "make", entry.make);
  for (const Preset& preset : entry.presets) check_name("preset", preset.name);
  const std::string owner = fmt::format("task '{}'", entry.name);
  refuse_options(owner, all_names_of(entry.options), /*of_tasks=*/false);
  entry.recipe.task = entry.name;
  entry = with_length_options(std::move(entry));
  for (auto* make : {&entry.make, &entry.make_held_out})
    if (*make)
      *make = [make = *make, known = entry.options, name = entry.name](const TaskOptions& options) {
        auto task = require_result(name, make(completed(options, known)));
        task->name = name;
        check_sizes(*task);
        return task;
      };
  tasks_.push_back(std::move(entry));
  version_ = next_version();
}

void Registry::task(const std::string& name, const std::string& summary, const TrainConfig& recipe,
                    const std::function<std::unique_ptr<Task>()>& make,
                    std::vector<std::string> architectures) {
  const auto from = [=](const TaskOptions&) { return make(); };
  put_task(name, summary, recipe, {}, from, std::move(architectures));
}

void Registry::put_task(const std::string& name, const std::string& summary,
                        const TrainConfig& recipe, std::vector<Option> options,
                        std::function<std::unique_ptr<Task>(const TaskOptions&)> make,
                        std::vector<std::string> architectures) {
  if (architectures.empty()) architectures = {recipe.arch};
  task({name,
        summary,
        "",
        "",
        recipe,
        {},
        std::move(options),
        "length",
        std::move(architectures),
        std::move(make)});
}

void Registry::layer(LayerEntry entry) {
  refuse_taken("layer", entry.name, names_of(layers_));
  require_function("layer", entry.name, "make", entry.make);
  if (!entry.input) throw ValueError("registry: layer '{}' has no input", entry.name);
  entry.make = [make = entry.make, name = entry.name] { return require_result(name, make()); };
  layers_.push_back(std::move(entry));
}

template <class Make>
void Registry::add(Parts<Make>& parts, Part<Make> part) {
  check_name(parts.option(), part.name);
  check_functions(parts.option(), part);
  const std::string owner = fmt::format("{} '{}'", parts.option(), part.name);
  refuse_options(owner, all_names_of(part.options), /*of_tasks=*/true, &parts);
  for (const Option& option : part.options) check_shares(parts, owner, option);
  parts.add(std::move(part));
  version_ = next_version();
}

void Registry::add_to_model(ModelParts& parts, ModelPart part) {
  check_name(parts.option(), part.name);
  check_functions(parts.option(), part);
  LayerEntry entry = layer_with(parts.option(), part);
  refuse_taken("layer", entry.name, names_of(layers_));
  add(parts, std::move(part));
  layers_.push_back(std::move(entry));
}

void Registry::attention(ModelPart part) { add_to_model(attentions_, std::move(part)); }
void Registry::position(ModelPart part) { add_to_model(positions_, std::move(part)); }
void Registry::norm(ModelPart part) { add_to_model(norms_, std::move(part)); }
void Registry::mlp(ModelPart part) { add_to_model(mlps_, std::move(part)); }
void Registry::optimizer(OptimizerPart part) { add(optimizers_, std::move(part)); }
void Registry::schedule(SchedulePart part) { add(schedules_, std::move(part)); }
void Registry::model(ArchitecturePart part) { add(architectures_, std::move(part)); }

void Registry::metric(Metric metric) {
  const std::string& name = metric.name;
  const bool plain = all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (name.empty() || !plain)
    throw ValueError("registry: metric '{}': a name may contain only letters, digits and _", name);
  refuse_taken("metric", name, names_of(metrics_));
  require_function("metric", name, "compute", metric.compute);
  metrics_.push_back(std::move(metric));
}

void Registry::op(const Op& op, std::vector<std::vector<Tensor>> samples) {
  refuse_taken("op", op.name, names_of(ops_));
  add_op(op);
  ops_.push_back({op.name, std::move(samples)});
}

void Registry::option(Option option) {
  refuse_options("option", all_names_of({option}));
  require_function("option", option.name, "get", option.get);
  require_function("option", option.name, "set", option.set);
  options_.push_back(std::move(option));
  version_ = next_version();
}

void Registry::change(const std::string& name, const std::function<TaskEntry(TaskEntry)>& change) {
  find_task(name);
  const auto at = find_named(tasks_, name);
  const auto place = at - tasks_.begin();
  TaskEntry changed = change(std::move(*at));
  tasks_.erase(at);
  task(std::move(changed));
  std::rotate(tasks_.begin() + place, tasks_.end() - 1, tasks_.end());
}

void Registry::attention(const std::string& name, AttentionFactory make) {
  require_function("attention", name, "make", make.make);
  attention({name,
             "custom attention",
             [=](ModelOptions& model, const OwnValues&) { model.attention = make; },
             {"heads"}});
}

std::vector<const PartList*> Registry::kinds() const {
  return {&architectures_, &positions_, &attentions_, &norms_, &mlps_, &optimizers_, &schedules_};
}

const TaskEntry& Registry::find_task(const std::string& name) const {
  return require_named("task", name, tasks_);
}

}  // namespace tapehead
