#pragma once
// A run's configuration beside the recipe of its task.
#include "../../train/config/options.hpp"

namespace tapehead {

/// The options that make `config` of its task's recipe, and no more: what follows from others, as
/// the default of --shards or the characters of a text, isn't among them, nor is --out.
Settings beyond_recipe(const TrainConfig& config, const Task& task, const Registry& registry);

/// `PROGRAM train TASK --lr 0.01`, for a POSIX shell.
std::string train_command_line(const std::string& program, const std::string& task,
                               const Settings& settings);

}  // namespace tapehead
