#pragma once
// The folders of a run's checkpoints, by name: step-500, step-500-again if there was already one of
// that step, and step-500-again-again for a third.
#include "../../core/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

struct StepFolder {
  Index step = 0;
  Index again = 0;  ///< number of earlier ones of the same step

  std::string name() const;
  bool is_newer_than(const StepFolder& other) const;
};

/// Parses a name; empty if it isn't that of a step's folder.
std::optional<StepFolder> step_folder(const std::string& name);
/// The step folders of a run, the newest first. Throws FileError if the run can't be listed.
std::vector<StepFolder> step_folders(const std::string& run);

}  // namespace tapehead
