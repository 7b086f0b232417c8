#pragma once
// Finds and removes run folders and checkpoints that aren't needed.
#include "run.hpp"

namespace tapehead {

/// A folder that isn't needed, and why.
struct UnneededFolder {
  std::string path;  ///< folder of a run or of a checkpoint in a run
  std::string why;
  std::uint64_t bytes = 0;
  bool whole_run = false;
};

/// Finds unneeded folders: runs without a complete checkpoint and, in other runs, the checkpoints
/// before the last one, except the best, unless a file of the last one is truncated. Skips runs
/// that are being trained or that another program created, and folders with foreign files at any
/// depth. For other skipped folders, adds a line with the reason to `kept`.
std::vector<UnneededFolder> find_unneeded(const std::vector<ListedRun>& runs,
                                          std::vector<std::string>& kept);

/// Locks the run, and removes the folder if it is still unneeded. Returns an error message; empty
/// on success.
std::string remove(const UnneededFolder& unneeded);

}  // namespace tapehead
