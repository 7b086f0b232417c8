#pragma once
// What other parts add to `runs`.
#include "run.hpp"

#include <functional>

namespace tapehead {

/// A form in which `runs FOLDER --NAME TO` writes the metrics of the runs that it lists, for
/// another program. Registered by Registry::extend.
struct RunsExport {
  std::string name, help;
  struct Written {
    std::string summary;   ///< what was written, in a few words
    bool complete = true;  ///< no run was left out for a fault; each that was has had its message
  };
  /// `project` is the name of the folder that is listed.
  std::function<Written(const std::vector<ShelfRun>& runs, const std::string& project,
                        const std::string& to)>
      write;
};

}  // namespace tapehead
