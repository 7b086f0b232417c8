#pragma once
// What other parts add to `runs`.
#include "run.hpp"

#include <functional>

namespace tapehead {

/// A form in which `runs FOLDER --NAME TO` writes the metrics of the runs that it lists, for
/// another program. Registered by Registry::extend.
struct RunsExport {
  std::string name, help;
  /// `project` is the name of the folder that is listed. Says what it wrote, in a few words.
  std::function<std::string(const std::vector<ShelfRun>& runs, const std::string& project,
                            const std::string& to)>
      write;
};

}  // namespace tapehead
