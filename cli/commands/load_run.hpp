#pragma once
#include "../../train/trainer.hpp"
#include "../options/command.hpp"

#include <optional>

namespace tapehead {

/// Returns the validated configuration of config.toml. Throws FileError.
TrainConfig recorded_config(const RunFolder& folder, const Registry& registry);

/// Returns the configuration recorded in the last checkpoint, or else in config.toml. Throws
/// FileError.
TrainConfig trained_config(const RunFolder& folder, const Registry& registry);
/// Does the same, given the record of the last checkpoint.
TrainConfig trained_config(const RunFolder& folder, const TrainingRecord& last,
                           const Registry& registry);

/// Loads a run's configuration, with the current paths of its files and the choice of validation
/// data, but neither task nor model. For `data`, see load_run.
LoadedRun configured_run(const RunFolder& folder, const Registry& registry,
                         const std::string& data = "");

/// Loads a trained run: its configuration, task and model. `data` replaces the run's --data, and
/// all of it is validation data; of the training file, only the validation part. `checkpoint` is
/// last, best or a step; `weights` is f32 (unchanged) or bf16. Throws FileError if the folder has
/// no run, no such checkpoint or a damaged one. Throws UsageError for an invalid `checkpoint` or
/// `weights`, for `data` if the task has no --data, and for bf16 of a run in f64.
LoadedRun load_run(const std::string& path, const Registry& registry, const std::string& data = "",
                   const std::string& checkpoint = "last", const std::string& weights = "f32");
/// Returns the step that --checkpoint names; empty for last, best and invalid values.
std::optional<Index> step_in(const std::string& checkpoint);
/// Throws UsageError unless --checkpoint is last, best or the step of a checkpoint, which it lists.
void check_checkpoint(const std::string& checkpoint, const RunFolder& folder);
/// Throws UsageError that names the command if the examples of the run's task are numbers.
void require_tokens(const std::string& command, const LoadedRun& run);
/// Prints a note for each file that has changed since training. Its validation examples may have
/// been training examples.
void note_changed_data(const std::string& path, const TrainConfig& config);
/// Adds the option --data.
void add_data(const Command& command, std::string& data);
/// Adds the option --checkpoint.
CommandOption add_checkpoint(const Command& command, std::string& checkpoint);
/// Adds the option --weights.
void add_weights(const Command& command, std::string& weights);

}  // namespace tapehead
