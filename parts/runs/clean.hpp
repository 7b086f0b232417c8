#pragma once
// Finds and removes run folders and checkpoints that aren't needed.
#include "run.hpp"

namespace tapehead {

/// A folder that isn't needed, and why.
struct UnneededFolder {
  std::string path;  ///< a run's folder, or the folder of a checkpoint within one
  std::string why;
  std::uint64_t bytes = 0;
  bool whole_run = false;
};

/// Finds the folders of runs without a complete checkpoint. In other runs, finds the checkpoints
/// before the last one, except the best, if the last one's files have the length that their headers
/// give. Skips runs that are being trained or that another program created, and folders with
/// foreign files at any depth. Adds a line with the reason to `kept` for each skipped folder.
std::vector<UnneededFolder> find_unneeded(const std::vector<ListedRun>& runs,
                                          std::vector<std::string>& kept);

/// Removes the folder if it is still unneeded once the run is locked. Returns the reason on
/// failure; empty on success.
std::string remove(const UnneededFolder& unneeded);

}  // namespace tapehead
