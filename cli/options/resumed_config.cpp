#include "resumed_config.hpp"
#include "../../train/config/goal.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"
#include "../../train/learner.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/digest.hpp"
#include "../commands/load_run.hpp"
#include "config_file.hpp"
#include "run_files.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <optional>

namespace tapehead {
namespace {

// Shortens the value, since tokenizer merges are long.
std::string shown(const std::string& v) { return v.empty() ? "''" : shorten(visible(v), 200); }

/// Returns whether an option names a file with the contents that the run was trained on.
bool is_same_file(const Option& option, const TrainConfig& located, const std::string& data) {
  const std::string recorded = recorded_digest(data, option.name);
  const std::string path = option.get(located);
  return is_file_option(option) && !recorded.empty() && !path.empty() && exists(path) &&
         digest_of_data(path) == recorded;
}

/// Throws UsageError for a name in --change whose option doesn't differ.
[[noreturn]] void refuse_change(const std::string& name, const TrainConfig& config,
                                const Registry& registry) {
  const std::vector<Option>& options = all_options(registry.find_task(config.task), registry);
  const Option& option = find_option(options, name, config.task);
  if (option.effect == Effect::none)
    throw UsageError("--change {0}: --{0} doesn't affect the result; remove --change", name);
  throw UsageError(
      "--change {0}: the run was trained with --{0} {1}; add the new value as --{0} {2}", name,
      shown(option.get(config)), option.kind);
}

/// Throws UsageError for changed options and files that `changes` doesn't name. `located`: with
/// current file paths; `recorded`: config.toml; `data`: digests of the training files; `data_now`:
/// digests of the current files.
void check_changes(const TrainConfig& config, const TrainConfig& located,
                   const TrainConfig& recorded, const TrainConfig& trained, const std::string& data,
                   const std::string& data_now, const std::vector<std::string>& changes,
                   const Registry& registry) {
  if (config.task != trained.task)
    throw UsageError("{}: the task in config.toml is {}, but the run was trained on {}", config.out,
                     config.task, trained.task);
  std::vector<std::string> differing, unnamed, now, before;
  for (const Option& option : differences(config, trained, registry)) {
    differing.push_back(option.name);
    if (contains(changes, option.name)) continue;
    if (is_same_file(option, located, data)) continue;
    unnamed.push_back(option.name);
    now.push_back(fmt::format("--{} {}", option.name, shown(option.get(config))));
    before.push_back(shown(option.get(trained)));
  }
  for (const std::string& name : changed_data(data_now, data)) {
    if (contains(differing, name)) continue;  // handled as a changed path
    differing.push_back(name);
    if (!contains(changes, name))
      throw UsageError(
          "{0} has changed since the run was trained on it; restore it, or add --change {1} to "
          "continue with the new data",
          config.task_options.at(name), name);
  }
  // If config.toml has another value, naming the option restores it.
  for (const Option& option : differences(config, recorded, registry))
    differing.push_back(option.name);
  for (const std::string& name : changes)
    if (!contains(differing, name)) refuse_change(name, config, registry);
  if (!unnamed.empty())
    throw UsageError("{}: the run was trained with {}; to change {}, add --change {}",
                     fmt::join(now, ", "), fmt::join(before, ", "),
                     unnamed.size() == 1 ? "it" : "them", fmt::join(unnamed, ","));
}

}  // namespace

ResumedConfig resumed_config(const TrainArguments& arguments,
                             const std::vector<std::string>& changes, const RunFolder& folder,
                             const Registry& registry) {
  if (!arguments.configs.empty())
    throw UsageError("--resume uses the run's own config.toml; remove --config");
  if (arguments.preset)
    throw UsageError("--resume uses the run's own config.toml; remove --preset");
  ResumedConfig resumed;
  auto& [config, recorded, moved, data] = resumed;
  config = recorded = recorded_config(folder, registry);
  check_task(arguments, config, folder.path());
  config.out = folder.path();
  const std::vector<Option>& options = all_options(registry.find_task(config.task), registry);
  apply(with_absolute_paths(arguments.given, folder, recorded, registry), options, config);
  if (config.out != folder.path())
    throw UsageError("--out {}: the run is in {}, and can't move; remove --out", config.out,
                     folder.path());
  config = resolved(config, arguments.given, registry);
  moved = moved_files(config, recorded, folder, registry);
  const CheckpointRecord last = folder.last_record();
  const TrainConfig located = with_files(config, moved);
  data = data_digests(located);
  std::vector<std::string> changed_options;
  for (const std::string& name : changes)
    changed_options.push_back(current_name(options, name, config));
  check_changes(config, located, recorded, trained_config(folder, last, registry), last.data, data,
                changed_options, registry);
  return resumed;
}

namespace {

/// Returns `names` and `more`, separated by commas.
std::string with(std::vector<std::string> names, const std::string& more) {
  if (!contains(names, more)) names.push_back(more);
  return fmt::format("{}", fmt::join(names, ","));
}

void check_can_continue(const TrainConfig& config, const std::vector<std::string>& changes,
                        const RunFolder& folder) {
  const Index done = folder.last_step();
  if (done >= config.steps)
    throw UsageError(
        "--change {}: the run is complete, at step {} of --steps {}; add --steps N --change {}",
        fmt::join(changes, ","), done, config.steps, with(changes, "steps"));
  const std::optional<Goal> goal = Goal::parse(config.until);
  const std::vector<std::string> lines = folder.read_metrics();
  if (lines.empty()) return;
  const Json last = parse_json(lines.back()).value();
  if (last["step"].integer() != done) return;
  if (last["patience_left"].integer() == 0 && config.patience > 0 && !contains(changes, "patience"))
    throw UsageError(
        "--change {}: early stopping (--patience {}) ended the run at step {}; add --patience N "
        "--change {}",
        fmt::join(changes, ","), config.patience, done, with(changes, "patience"));
  if (goal && goal->reached(evaluation_in(last)))
    throw UsageError(
        "--change {}: the run reached --until {} at step {} and is complete; add --until GOAL "
        "--change {}",
        fmt::join(changes, ","), config.until, done, with(changes, "until"));
}

}  // namespace

void check_fits(const Plan& plan, const std::vector<std::string>& changes, const RunFolder& folder,
                const Registry& registry) {
  if (!folder.has_checkpoint()) return;
  try {
    Learner learner(plan, registry, false);
    folder.load(*learner.model->module, learner.optimizer.get(), learner.average.get());
  } catch (const MismatchError& error) {
    throw UsageError("--change {}: the checkpoint can't continue with the new value: {}",
                     fmt::join(changes, ","), error.what());
  }
  check_can_continue(plan.config, changes, folder);
}

void defer_config(const TrainConfig& config, const TrainConfig& recorded, bool changes,
                  RunFolder& folder, const Registry& registry) {
  const auto deciding = [&](const TrainConfig& each) { return deciding_toml(each, registry); };
  if (!changes && deciding(config) == deciding(recorded)) return;
  const std::string text = to_toml(config, registry, working_directory(folder));
  folder.defer([&folder, text] { folder.write_config(text); });
}

namespace {

/// Returns the configuration in config.toml if it is readable.
std::optional<TrainConfig> readable_config(const RunFolder& folder, const Registry& registry) {
  try {
    return recorded_config(folder, registry);
  } catch (const SystemError& error) {
    if (error.reason != ENOENT) throw;
  } catch (const FileError&) {
  }
  return {};
}

/// Restores the checkpoint's values of differing options, except for `changes`. Returns a
/// description of each change: `steps = 20, not 40`.
std::vector<std::string> restore_options(TrainConfig& config, const TrainConfig& trained,
                                         const std::vector<std::string>& changes,
                                         const Registry& registry) {
  std::vector<std::string> restored;
  const TrainConfig before = config;
  for (const Option& option : differences(before, trained, registry)) {
    if (contains(changes, option.name)) continue;
    const std::string value = option.get(trained);
    option.set(config, value);
    restored.push_back(
        fmt::format("{} = {}, not {}", option.name, shown(value), shown(option.get(before))));
  }
  return restored;
}

}  // namespace

void repair_config(const RunFolder& folder, const std::vector<std::string>& changes,
                   const Registry& registry) {
  constexpr const char* name = "config.toml";
  const std::string path = folder.path() + "/" + name, options = folder.last_record().config;
  std::optional<TrainConfig> config = readable_config(folder, registry);
  if (options.empty() && config) return;
  if (options.empty())
    throw FileError("{}: the file is damaged, and no checkpoint records the options", path);
  const TrainConfig trained = config_from_toml(options, path, registry);
  std::vector<std::string> restored;
  if (config && config->task == trained.task) {
    restored = restore_options(*config, trained, changes, registry);
    if (restored.empty()) return;
  }
  const std::string text =
      to_toml(config ? *config : trained, registry, config ? working_directory(folder) : "");
  const std::string before = exists(path) ? folder.set_aside(name) : "";
  folder.write_config(text);
  message(fmt::format("{}: restored with the options of the checkpoint{}{}", path,
                      restored.empty() ? "" : fmt::format(" ({})", fmt::join(restored, "; ")),
                      before.empty() ? ""
                                     : fmt::format("; the {} file is kept as {}",
                                                   restored.empty() ? "damaged" : "old", before)));
}

}  // namespace tapehead
