#pragma once
// The folders of a run's checkpoints, by their names: step-500, step-500-again where there was one
// of the same step, and once more for a third.
#include "../../core/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

struct StepFolder {
  Index step = 0;
  Index again = 0;  ///< how many of the same step were there before

  std::string name() const;
  bool is_newer_than(const StepFolder& other) const;
};

/// Nothing where the name isn't that of one.
std::optional<StepFolder> step_folder(const std::string& name);
/// Those in a run, the newest first. Throws FileError where it can't be listed.
std::vector<StepFolder> step_folders(const std::string& run);

}  // namespace tapehead
