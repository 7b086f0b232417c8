#pragma once
#include "../../train/trainer.hpp"
#include "../options/command.hpp"

#include <optional>

namespace tapehead {

/// The configuration in config.toml, validated. Throws FileError.
TrainConfig recorded_config(const RunFolder& folder, const Registry& registry);

/// The configuration that the last checkpoint was trained with; if none records it, that of
/// config.toml. Throws FileError.
TrainConfig trained_config(const RunFolder& folder, const Registry& registry);
/// The same, for which the last checkpoint has been read already.
TrainConfig trained_config(const RunFolder& folder, const TrainingRecord& last,
                           const Registry& registry);

/// Loads a run's configuration, with the current paths of its files and the choice of held-out
/// data, but neither task nor model; `data` as for load_run.
LoadedRun configured_run(const RunFolder& folder, const Registry& registry,
                         const std::string& data = "");

/// Loads a trained run: its configuration, task and model. `data` replaces the run's --data, and
/// all of it is held out, unless it is the file that the run was trained on and held out a part of;
/// `checkpoint` is last, best or a step; `weights` is f32, for weights as they are, or bf16. Throws
/// FileError if the folder has no run, no such checkpoint or a damaged one, UsageError for another
/// `checkpoint` or `weights`, for `data` where the task has no --data, and for bf16 of a run in
/// f64.
LoadedRun load_run(const std::string& path, const Registry& registry, const std::string& data = "",
                   const std::string& checkpoint = "last", const std::string& weights = "f32");
/// The step that --checkpoint names; empty for last, best and anything else.
std::optional<Index> step_in(const std::string& checkpoint);
/// Throws UsageError unless --checkpoint is last, best or the step of a checkpoint, which it lists.
void check_checkpoint(const std::string& checkpoint, const RunFolder& folder);
/// Throws UsageError that names the command if the examples of the run's task are numbers.
void require_tokens(const std::string& command, const LoadedRun& run);
/// Prints a note for each file that has changed since training: its held-out examples may have been
/// trained on.
void note_changed_data(const std::string& path, const TrainConfig& config);
/// Adds the option --data, by which the user chooses another file of examples.
void add_data(const Command& command, std::string& data);
/// Adds the option --checkpoint, by which the user chooses one.
CommandOption add_checkpoint(const Command& command, std::string& checkpoint);
/// Adds the option --weights, by which the user has them kept in bf16.
void add_weights(const Command& command, std::string& weights);

}  // namespace tapehead
