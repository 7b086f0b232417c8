#pragma once
// How a run's configuration differs from its task's default configuration.
#include "../../../train/config/options.hpp"

namespace tapehead {

/// Returns the fewest options that turn the task's default configuration into `config`. Excludes
/// options that follow from others, such as the default of --shards, and --out.
Settings non_default_options(const TrainConfig& config, const Task& task, const Registry& registry);

/// Returns `PROGRAM train TASK --lr 0.01` for a POSIX shell; `program` must be quoted.
std::string train_command_line(const std::string& program, const std::string& task,
                               const Settings& settings);

}  // namespace tapehead
