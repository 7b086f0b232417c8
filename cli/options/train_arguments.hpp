#pragma once
// The arguments on the command line for a new run.
#include "../../train/config/options.hpp"
#include "../commands/commands.hpp"

#include <optional>

namespace tapehead {

struct TrainArguments {
  Settings given;  ///< options of training, in the order given
  std::string task;
  std::vector<std::string> configs;  ///< files, of which a later one decides
  std::optional<std::string> preset;
};

/// Adds `options`, whose values in `defaults` the help shows, and --config. The help shows all
/// of them, or the most used.
void add_train_options(const Command& command, const std::vector<Option>& options,
                       const TrainConfig* defaults, bool all, TrainArguments& arguments);
/// Adds the options that tasks have of their own, which the help leaves out: where no task is
/// named, a run or its config.toml says which one is meant.
void add_options_of_tasks(const Command& command, const Registry& registry,
                          TrainArguments& arguments);
/// Adds the options of a task, and to the help its presets and what it teaches.
void add_task_options(const Command& command, const TaskEntry& entry, const Registry& registry,
                      bool all, TrainArguments& arguments);

/// Throws UsageError if a task was named that isn't the one of `config`, which comes from `where`.
void check_task(const TrainArguments& arguments, const TrainConfig& config,
                const std::string& where);
/// The recipe, --config or --preset, overridden by the options given, and validated.
TrainConfig new_config(const TrainArguments& arguments, const Registry& registry);

}  // namespace tapehead
