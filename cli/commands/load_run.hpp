#pragma once
#include "../../train/trainer.hpp"
#include "../options/command.hpp"

namespace tapehead {

/// The configuration in config.toml, validated. Throws FileError.
TrainConfig recorded_config(const RunFolder& folder, const Registry& registry);

/// The configuration that the last checkpoint was trained with; if none records it, that of
/// config.toml. Throws FileError.
TrainConfig trained_config(const RunFolder& folder, const Registry& registry);

/// Loads a trained run: its configuration, task and model. `replaced` overrides recorded options of
/// the task; `checkpoint` is last or best. Throws FileError if the folder has no run, no such
/// checkpoint or a damaged one, UsageError for another `checkpoint`.
LoadedRun load_run(const std::string& path, const Registry& registry,
                   const TaskOptions& replaced = {}, const std::string& checkpoint = "last");
/// Adds the option --checkpoint, by which the user chooses one.
Option add_checkpoint(const Command& command, std::string& checkpoint);

}  // namespace tapehead
