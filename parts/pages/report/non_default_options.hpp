#pragma once
// Differences between a run's configuration and its task's default configuration.
#include "../../../train/config/options.hpp"

namespace tapehead {

/// Returns the smallest set of options that turns the task's default configuration into `config`.
/// Excludes --out, and options whose value follows from other options, such as --shards.
Settings non_default_options(const TrainConfig& config, const Task& task, const Registry& registry);

/// Returns `PROGRAM train TASK --lr 0.01` for a POSIX shell; `program` must be quoted.
std::string train_command_line(const std::string& program, const std::string& task,
                               const Settings& settings);

}  // namespace tapehead
