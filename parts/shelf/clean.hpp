#pragma once
// What nobody needs of many runs, and its removal.
#include "run.hpp"

namespace tapehead {

struct Litter {
  std::string path;  ///< a run's folder, or the folder of a checkpoint within one
  std::string why;
  std::uint64_t bytes = 0;
  bool whole_run = false;
};

/// Finds folders of runs that have no complete checkpoint; and of other runs the checkpoints before
/// the last that aren't the best, if the last one's files are as long as their headers say. Nothing
/// of a run that is being written or of another program, nor a folder with a file, at any depth,
/// that no run has: `kept` gets a line about each that stays though it is not needed, or broken.
std::vector<Litter> litter_of(const std::vector<ShelfRun>& runs, std::vector<std::string>& kept);

/// Removes it, if it is found again while the run is locked. Returns why it couldn't be removed;
/// empty if it is gone.
std::string remove(const Litter& litter);

}  // namespace tapehead
