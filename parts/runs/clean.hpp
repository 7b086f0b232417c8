#pragma once
// Finds and removes folders of runs that aren't needed.
#include "run.hpp"

namespace tapehead {

struct UnneededFolder {
  std::string path;  ///< a run's folder, or the folder of a checkpoint within one
  std::string why;
  std::uint64_t bytes = 0;
  bool whole_run = false;
};

/// Finds the folders of runs without a complete checkpoint. In other runs, finds the checkpoints
/// before the last that aren't the best, if the last one's files are as long as their headers say.
/// Skips runs that are being written or that another program made, and folders with a file, at any
/// depth, that runs don't write. `kept` gets a line about each skipped folder, with the reason.
std::vector<UnneededFolder> find_unneeded(const std::vector<ListedRun>& runs,
                                          std::vector<std::string>& kept);

/// Removes the folder if it still isn't needed once the run is locked. Returns the reason if it
/// couldn't be removed; empty if it was.
std::string remove(const UnneededFolder& unneeded);

}  // namespace tapehead
