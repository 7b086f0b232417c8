#include "planned.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../core/numerics.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../train/config/goal.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/memory_limit.hpp"
#include "../../train/optimizers.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/provenance.hpp"
#include "../sweep/axes.hpp"

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

/// Sets `found` to the last line of a name, if there is one.
void find_last(const std::vector<ConfigLine>& lines, const std::string& name, ConfigLine& found) {
  for (const ConfigLine& line : lines)
    if (line.name == name) found = line;
}

/// Returns whether a line of [quick] isn't an option of the runs.
bool is_study_setting(const std::string& name) { return name == "seeds" || name == "rows"; }

bool is_training_option(const std::string& name) { return name != "task" && name != "preset"; }

/// Makes the configurations of a study's rows.
class RowConfigs {
 public:
  RowConfigs(const Study& study, const StudyCall& call, const Session& session)
      : study_(study),
        registry_(session.registry),
        quick_(call.quick),
        used_(study.train.size()),
        used_by_quick_(study.quick.size()) {
    folder_ = !call.data.empty() ? call.data : study.folder.empty() ? "." : study.folder;
  }

  TrainConfig make(const StudyRow& row) {
    place_ = study_.name;
    try {
      return made(row);
    } catch (const UsageError& error) {
      throw FileError("{}: {}", place_, error.what());
    }
  }

  /// Throws FileError for an option in [train] that no row uses.
  void check_used() const { check_used(study_.train, used_); }
  /// Throws FileError for an option in [quick] that no row uses.
  void check_quick() const {
    if (quick_) check_used(study_.quick, used_by_quick_);
  }

 private:
  static void check_used(const std::vector<ConfigLine>& lines, const std::vector<bool>& used) {
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        throw FileError("{}: {} has no effect in any row; remove it", lines[i].place,
                        lines[i].name);
  }

  TrainConfig made(const StudyRow& row) {
    std::vector<ConfigLine> given;
    for (const auto& [name, value] : row.settings) given.push_back({name, value, row.place, ""});
    ConfigLine of_row, of_all, task;  // the lines of presets and of the task; empty: none
    find_last(given, "preset", of_row);
    find_last(study_.train, "preset", of_all);
    const auto own = study_.presets.find(of_row.value);
    const bool is_own = own != study_.presets.end();
    const std::vector<ConfigLine> preset = is_own ? own->second : std::vector<ConfigLine>();
    for (const auto* lines : {&study_.train, &preset, &std::as_const(given)})
      find_last(*lines, "task", task);
    if (task.value.empty())
      throw UsageError("expected task = \"NAME\" in [train], or --task in each row");
    place_ = task.place;
    const TaskEntry& entry = registry_.find_task(task.value);
    const std::vector<Option>& options = all_options(entry, registry_);
    TrainConfig config = default_config(entry);
    const auto apply_preset = [&](const ConfigLine& line) {
      place_ = line.place;
      if (!line.value.empty()) apply(find_preset(entry, line.value).settings, options, config);
    };
    apply_preset(of_all);
    set(study_.train, options, config);
    if (!is_own) apply_preset(of_row);
    set(preset, options, config);
    set(given, options, config);
    if (quick_) make_quick(options, config);
    note_used(options, config);
    Settings own_settings;
    for (const ConfigLine& line : given)
      if (is_training_option(line.name)) own_settings.emplace_back(line.name, line.value);
    return resolved(with_data(config, options), own_settings, registry_);
  }

  /// Applies the lines of a table: first those that choose parts, as in `apply`.
  void set(const std::vector<ConfigLine>& lines, const std::vector<Option>& options,
           TrainConfig& config) {
    for (const bool parts : {true, false})
      for (const ConfigLine& line : lines) {
        place_ = line.place;
        if (!is_training_option(line.name)) continue;
        if (line.name == "out" || line.name == "seed")
          throw UsageError("a study sets {} itself; remove it", line.name);
        const Option& option = current_option(options, line.name, config);
        if (option.chooses_part == parts) option.set(config, line.value);
      }
  }

  /// Applies the options of [quick] that the row's task and parts have. Without this table, a run
  /// has at most ten steps.
  void make_quick(const std::vector<Option>& options, TrainConfig& config) {
    constexpr Index few_steps = 10, few_examples = 20;
    if (study_.quick.empty()) {
      config.steps = std::min(config.steps, few_steps);
      config.eval_examples = few_examples;
    }
    for (std::size_t i = 0; i < study_.quick.size(); ++i) {
      const ConfigLine& line = study_.quick[i];
      if (is_study_setting(line.name)) used_by_quick_[i] = true;
      const auto option = find_named(options, line.name);
      if (option == options.end() || !option->is_read(config)) continue;
      used_by_quick_[i] = true;
      try {
        option->set(config, line.value);
      } catch (const UsageError& error) {
        throw FileError("{}: {}", line.place, error.what());
      }
    }
  }

  void note_used(const std::vector<Option>& options, const TrainConfig& config) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const std::string& name = study_.train[i].name;
      if (!is_training_option(name) || current_option(options, name, config).is_read(config))
        used_[i] = true;
    }
  }

  /// Makes relative paths of files relative to the folder of the data.
  TrainConfig with_data(TrainConfig config, const std::vector<Option>& options) const {
    for (const Option& option : options) {
      if (!is_file_option(option)) continue;
      const std::string value = option.get(config);
      if (value.empty() || std::filesystem::path(value).is_absolute()) continue;
      const std::string path = (std::filesystem::path(folder_) / value).lexically_normal().string();
      if (!exists(path)) throw FileError("{}", missing_file(value));
      option.set(config, path);
    }
    return config;
  }

  std::string missing_file(const std::string& name) const {
    std::string origin;
    for (const auto& [file, where] : study_.data)
      if (file == name) origin = where;
    return fmt::format("{}: {} isn't in the folder {}; {}give its folder with --data", study_.name,
                       name, folder_, origin.empty() ? "" : "get it from " + origin + ", and ");
  }

  const Study& study_;
  const Registry& registry_;
  const bool quick_;
  std::string folder_;
  std::string place_;  // path and line of the setting being applied
  // For each line of [train] and [quick], whether a row's configuration reads it.
  std::vector<bool> used_, used_by_quick_;
};

/// Returns a value of [quick] that isn't an option of the runs; empty if there is none.
std::string quick_value(const Study& study, const std::string& name) {
  for (const ConfigLine& line : study.quick)
    if (line.name == name) return line.value;
  return "";
}

Index seeds_of(const Study& study, const StudyCall& call) {
  if (call.seeds < 0) throw UsageError("--seeds must be at least 1, not {}", call.seeds);
  if (call.seeds > 0) return call.seeds;
  const std::string quick = call.quick ? quick_value(study, "seeds") : "";
  if (!quick.empty()) return to_index("seeds", quick);
  return call.quick ? 1 : study.seeds;
}

/// Returns whether a run's last step has its evaluation, or the run diverged.
bool is_complete(const SweepRun& run) {
  if (!std::filesystem::exists(run.config.out)) return false;
  if (!divergence_reason(run.config.out).empty()) return true;
  const RunFolder folder = RunFolder::open(run.config.out);
  if (!folder.has_checkpoint()) return false;
  const std::vector<std::string> lines = folder.read_metrics();
  if (lines.empty()) return false;
  const Json last = parse_json(lines.back()).value();
  const bool is_last = last["step"].integer() == run.config.steps && has_evaluation(last);
  return is_last || ended_early(last, run.config.until);
}

/// Removes a run's folder in which a killed process had not yet written anything.
void remove_empty_run(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "lock" && !is_temporary(entry.path().filename().string()))
      return;
  fs::remove_all(folder, ignored);
}

/// Throws UsageError if a session computed the run with other numerics.
void check_numerics(const SweepRun& run) {
  for (const Json& session : read_sessions(run.config.out))
    if (const auto number = numerics_of(session); number && *number != numerics)
      throw UsageError(
          "{} was trained with numerics {}, but this program has numerics {}, so results would "
          "mix; choose another --out",
          run.config.out, *number, numerics);
}

/// Throws FileError if a measure calls an unknown command, because that would be found only after
/// training.
void check_commands(const Study& study, const Registry& registry) {
  const std::vector<CommandEntry> commands = all_commands(registry);
  for (const StudyMeasure& measure : study.measures) {
    if (measure.kind != StudyMeasure::Kind::command) continue;
    const std::string name = measure.command.substr(0, measure.command.find(' '));
    try {
      require_named("command", name, commands);
    } catch (const UsageError& error) {
      throw FileError("{}: {}: {}", measure.place, measure.name, error.what());
    }
  }
}

}  // namespace

StudyPlan plan_study(const Study& study, const StudyCall& call, const Session& session) {
  if (call.jobs < 0) throw UsageError("--jobs must be at least 0, not {}", call.jobs);
  check_commands(study, session.registry);
  StudyPlan plan;
  plan.out = !call.out.empty() ? call.out : "studies/" + study.name + (call.quick ? "-quick" : "");
  plan.seeds = static_cast<std::size_t>(seeds_of(study, call));
  const std::string quick_rows = call.quick ? quick_value(study, "rows") : "";
  RowConfigs configs(study, call, session);
  std::map<std::string, std::string> names;  // the name of the row with each configuration
  for (const StudyRow& row : rows_of(study)) {
    if (!quick_rows.empty() && !is_row(row, quick_rows)) continue;
    TrainConfig config;
    try {
      config = configs.make(row);
    } catch (const FileError& error) {
      if (!call.quick || std::string(error.what()).find("--data") == std::string::npos) throw;
      plan.skipped.push_back(row.name);
      continue;
    }
    const Plan one = make_plan(config, session.registry);
    check_optimizer(one, session.registry);
    check_memory(one, session.registry);
    plan.rows.push_back(row);
    config = one.config;
    const auto [same, is_new] = names.emplace(to_toml(config, session.registry), row.name);
    if (!is_new && !call.quick)  // options of [quick] can make rows equal
      throw FileError("{}: '{}' has the configuration of '{}'; change an option of one of them",
                      row.place, row.name, same->second);
    for (config.seed = 0; config.seed < plan.seeds; ++config.seed) {
      const std::string name = run_name(labels_of(study, row), config.seed);
      config.out = plan.out + "/" + name;
      plan.runs.push_back({config, name, {one.layout.threads, one.need.total()}});
    }
  }
  if (plan.skipped.empty() && quick_rows.empty()) configs.check_used();
  if (plan.skipped.empty()) configs.check_quick();
  if (!plan.runs.empty())
    plan.shares = share_cores(call.jobs, plan.runs, processors(), memory_limit());
  return plan;
}

bool train_study(const StudyPlan& plan, bool quiet, Session& session) {
  std::vector<SweepRun> missing;
  for (const SweepRun& run : plan.runs) {
    remove_empty_run(run.config.out);
    check_run_folder(run.config, session);
    check_numerics(run);
    if (!is_complete(run)) missing.push_back(run);
  }
  if (missing.empty()) return true;
  if (const std::size_t done = plan.runs.size() - missing.size(); done > 0 && !quiet)
    tell("{} of {} complete\n", done, plural(plan.runs.size(), "run"));
  return train_all(missing, {}, plan.shares, quiet, session).has_value();
}

}  // namespace tapehead
