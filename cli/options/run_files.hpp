#pragma once
// Files that a run reads: --data and others. A run records their paths as given, the working
// directory, and the digests of their contents.
#include "../../train/runs/run_folder.hpp"
#include "train_arguments.hpp"

#include <map>

namespace tapehead {

/// File paths by option name.
using FilePaths = std::map<std::string, std::string>;

/// Returns the working directory of a run's relative paths; empty if it isn't recorded.
std::string working_directory(const RunFolder& folder);
/// Returns a run's sessions. A run of an earlier version has one session, with only the version in
/// config.toml. Throws FileError.
std::vector<Json> sessions_of(const RunFolder& folder);
/// Prints a line if this program's code differs from the last session's of a run to resume.
void note_changed_code(const RunFolder& folder);
/// Returns the files that a configuration names.
FilePaths files_of(const TrainConfig& config, const Registry& registry);
/// Returns the configuration with other paths.
TrainConfig with_files(TrainConfig config, const FilePaths& paths);

/// Returns the current paths of a run's files that have moved. Searches the original place, the
/// run's folder, the two folders above it and the current directory, and prefers a file with the
/// recorded digest. The path of a file that isn't found is absolute.
FilePaths moved_files(const TrainConfig& config, const RunFolder& folder, const Registry& registry);
/// Returns the current paths of a resumed run's files that have moved, except for files whose paths
/// the user has given.
FilePaths moved_files(const TrainConfig& config, const TrainConfig& recorded,
                      const RunFolder& folder, const Registry& registry);

/// Returns a configuration from another working directory. Relative paths that exist only there
/// become absolute.
TrainConfig from_directory(const TrainConfig& config, const std::string& directory,
                           const Registry& registry);

/// Makes given paths absolute if the resumed run's config.toml has another working directory.
Settings with_absolute_paths(Settings given, const RunFolder& folder, const TrainConfig& recorded,
                             const Registry& registry);

}  // namespace tapehead
