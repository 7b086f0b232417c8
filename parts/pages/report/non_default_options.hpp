#pragma once
// How a run's configuration differs from the recipe of its task.
#include "../../../train/config/options.hpp"

namespace tapehead {

/// The fewest options that turn its task's recipe into `config`: those that follow from others,
/// such as the default of --shards or the characters of a text, aren't included, nor is --out.
Settings non_default_options(const TrainConfig& config, const Task& task, const Registry& registry);

/// `PROGRAM train TASK --lr 0.01`, for a POSIX shell; `program` is quoted already.
std::string train_command_line(const std::string& program, const std::string& task,
                               const Settings& settings);

}  // namespace tapehead
