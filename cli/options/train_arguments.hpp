#pragma once
// What a command line says of a run that is to begin.
#include "../../train/config/options.hpp"
#include "../commands/commands.hpp"

namespace tapehead {

struct TrainArguments {
  Settings given;  ///< options of training, in their order
  std::string task, config, preset;
};

/// `options`, with their values in `defaults` as help shows them, and --config.
void add_train_options(CLI::App& command, const std::vector<TrainOption>& options,
                       const TrainConfig* defaults, TrainArguments& arguments);
/// Those of a task, its presets, and what it teaches.
void add_task_options(CLI::App& command, const TaskEntry& entry, const Registry& registry,
                      TrainArguments& arguments);

/// Throws UsageError unless the task is that of `config`, or none was named.
void check_task(const TrainArguments& arguments, const TrainConfig& config,
                const std::string& where);
/// The recipe, or --config, or --preset, and what was given besides; checked.
TrainConfig new_config(const TrainArguments& arguments, const Registry& registry);

}  // namespace tapehead
