#pragma once
#include <string>
#include <vector>

namespace tapehead {

/// A program's exit status and the end of its standard error.
struct ProgramResult {
  int status = 0;  ///< exit status as in a shell: 128 + signal if killed
  std::string errors;
};

/// Runs a program such as mpirun, forwards its standard error, and sends it stop requests as
/// SIGUSR1, which mpirun forwards to the ranks. After Ctrl-C, mpirun would send SIGTERM and then
/// SIGKILL, before a large checkpoint is written; so it runs in its own process group, which Ctrl-C
/// doesn't reach.
ProgramResult run_launched(std::vector<std::string> words);

}  // namespace tapehead
