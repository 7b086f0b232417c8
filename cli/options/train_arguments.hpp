#pragma once
// Command-line arguments of a new run.
#include "../../train/config/options.hpp"
#include "../commands/commands.hpp"

#include <optional>

namespace tapehead {

struct TrainArguments {
  Settings given;  ///< training options in the order given
  std::string task;
  std::vector<std::string> configs;  ///< files; later ones override earlier ones
  std::optional<std::string> preset;
};

/// A line of the help that doesn't show all options.
inline constexpr const char* most_used_note =
    "These are the most used options. --help all shows all options.";
/// Returns the default of an option in the help: its value in the default configurations that use
/// it, with `or by task` if they differ; empty without configurations.
std::string default_in(const std::vector<TrainConfig>& defaults, const Option& option);
/// Adds `options` with their values in `defaults`, and --config. The help shows all of them, or the
/// most used.
void add_train_options(const Command& command, const std::vector<Option>& options,
                       const std::vector<TrainConfig>& defaults, bool all,
                       TrainArguments& arguments);
/// Adds the tasks' own options, hidden in the help. Without a task on the command line, a run or a
/// config.toml determines the task.
void add_options_of_tasks(const Command& command, const Registry& registry,
                          TrainArguments& arguments);
/// Adds the options of a task, and a footer with its presets and expected result.
void add_task_options(const Command& command, const TaskEntry& entry, const Registry& registry,
                      bool all, TrainArguments& arguments);

/// Throws UsageError if another task was named than the task of `config`, which comes from `where`.
void check_task(const TrainArguments& arguments, const TrainConfig& config,
                const std::string& where);
/// Returns the validated configuration: the default, --config or --preset, overridden by the given
/// options.
TrainConfig new_config(const TrainArguments& arguments, const Registry& registry);

}  // namespace tapehead
