#pragma once
#include <string>
#include <vector>

namespace tapehead {

/// A program's exit status and the end of its standard error.
struct ProgramResult {
  int status = 0;  ///< exit status, as reported by a shell
  std::string errors;
};

/// Runs a program, passes its standard error through, and forwards stop requests as SIGUSR1, which
/// mpirun forwards to the ranks. mpirun turns Ctrl-C into SIGTERM, and then into SIGKILL before a
/// large checkpoint is written. So the program gets its own process group, which Ctrl-C doesn't
/// reach.
ProgramResult run_launched(std::vector<std::string> words);

}  // namespace tapehead
