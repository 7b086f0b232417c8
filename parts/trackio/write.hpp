#pragma once
#include "../shelf/export.hpp"

namespace tapehead {

/// Writes the metrics and options of runs to `folder`/PROJECT.db, in the tables that Trackio reads
/// where TRACKIO_DIR is that folder. Runs of these names that are there already are replaced, and
/// all else in the database stays. A run without metrics, or with damaged ones, is left out with a
/// message; only the latter is a fault. Nothing is changed where the database can't be written.
/// Throws FileError.
RunsExport::Written write_trackio(const std::vector<ShelfRun>& runs, const std::string& project,
                                  const std::string& folder);

}  // namespace tapehead
