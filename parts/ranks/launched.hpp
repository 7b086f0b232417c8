#pragma once
#include <string>
#include <vector>

namespace tapehead {

/// How a program ended, and the last that it said on standard error.
struct ProgramResult {
  int status = 0;  ///< its exit status, as a shell has it
  std::string errors;
};

/// Runs a program, whose errors appear as it writes them, and passes a request to stop on to it, as
/// SIGUSR1: mpirun hands that to the ranks, where of Ctrl-C it makes SIGTERM, and SIGKILL before a
/// large checkpoint is written. So it is in a group of its own, which a terminal doesn't interrupt.
ProgramResult run_launched(std::vector<std::string> words);

}  // namespace tapehead
