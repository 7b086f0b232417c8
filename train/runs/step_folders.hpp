#pragma once
// Names of checkpoint folders: step-500, or step-500-again if step-500 exists, and so on.
#include "../../core/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

/// The parsed name of a checkpoint folder.
struct StepFolder {
  Index step = 0;
  Index again = 0;  ///< number of earlier folders for the same step

  std::string name() const;
  bool is_newer_than(const StepFolder& other) const;
};

/// Parses the name of a checkpoint folder; returns nothing for other names.
std::optional<StepFolder> step_folder(const std::string& name);
/// Returns a run's checkpoint folders, newest first. Throws FileError if the run can't be listed.
std::vector<StepFolder> step_folders(const std::string& run);

}  // namespace tapehead
