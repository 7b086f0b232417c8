#pragma once
#include <tapehead/train/trainer.hpp>

namespace tapehead {

/// What config.toml says, checked. Throws FileError.
TrainConfig recorded_config(const RunFolder& folder, const Registry& registry);

/// A trained run: its configuration, task and model. `replaced` stand in for recorded options of
/// the task. Throws FileError where the folder holds no run, no checkpoint, or a damaged one.
LoadedRun load_run(const std::string& path, const Registry& registry,
                   const TaskOptions& replaced = {});

}  // namespace tapehead
