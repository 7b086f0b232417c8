#pragma once
// The files that a run reads: --data and others. A run records their paths as they were given, the
// folder that relative ones start from, and the digests of what is in them.
#include "../../train/runs/run_folder.hpp"
#include "train_arguments.hpp"

#include <map>

namespace tapehead {

/// Paths of files by the names of their options.
using FilePaths = std::map<std::string, std::string>;

/// The folder that a run's relative paths start from; empty where it isn't recorded.
std::string working_directory(const RunFolder& folder);
/// The files that a configuration names.
FilePaths files_of(const TrainConfig& config, const Registry& registry);
/// The configuration with other paths.
TrainConfig with_files(TrainConfig config, const FilePaths& paths);

/// The paths at which the files of a run are found now, where these aren't the recorded ones. Looks
/// where they were in training, next to the run, in the two folders above it and in the current
/// directory, and prefers a file with the recorded digest. The path of a file that isn't found is
/// absolute.
FilePaths moved_files(const TrainConfig& config, const RunFolder& folder, const Registry& registry);
/// The same for a resumed run, except for files whose paths the user has given: they stay as they
/// are.
FilePaths moved_files(const TrainConfig& config, const TrainConfig& recorded,
                      const RunFolder& folder, const Registry& registry);

/// The configuration of a file written in another working directory: relative paths of files that
/// aren't in the current directory, and are in that one, become absolute.
TrainConfig from_directory(const TrainConfig& config, const std::string& directory,
                           const Registry& registry);

/// Makes the given paths of a resumed run's files absolute if config.toml has another working
/// directory.
Settings from_here(Settings given, const RunFolder& folder, const TrainConfig& recorded,
                   const Registry& registry);

}  // namespace tapehead
