#pragma once
#include "../../train/trainer.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tapehead {

/// What config.toml says, checked. Throws FileError.
TrainConfig recorded_config(const RunFolder& folder, const Registry& registry);

/// What the last checkpoint was trained with; where none says it, what config.toml says. Throws
/// FileError.
TrainConfig trained_config(const RunFolder& folder, const Registry& registry);

/// A trained run: its configuration, task and model. `replaced` stand in for recorded options of
/// the task; `checkpoint` is last or best. Throws FileError where the folder holds no run, no such
/// checkpoint, or a damaged one, UsageError for another `checkpoint`.
LoadedRun load_run(const std::string& path, const Registry& registry,
                   const TaskOptions& replaced = {}, const std::string& checkpoint = "last");
/// The option --checkpoint, by which a command lets the user choose one.
void add_checkpoint(CLI::App& command, std::string& checkpoint);

}  // namespace tapehead
