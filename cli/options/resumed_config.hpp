#pragma once
// What a run goes on with: as it was trained so far, unless a change is asked for by name.
#include "../../train/runs/run_folder.hpp"
#include "train_arguments.hpp"

namespace tapehead {

/// config.toml and what the command line gives besides. Throws UsageError where an option on which
/// what is learned depends isn't as the run was trained and its name isn't among `changes`, or
/// where a name there is unknown or of no option that differs; FileError for a damaged file.
TrainConfig resumed_config(const TrainArguments& arguments, const std::vector<std::string>& changes,
                           const RunFolder& folder, const Registry& registry);

/// Throws UsageError unless the run's checkpoint, where it has one, can go on with the changes.
void check_fits(const TrainConfig& config, const std::vector<std::string>& changes,
                const RunFolder& folder, const Registry& registry);

}  // namespace tapehead
