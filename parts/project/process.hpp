#pragma once
#include <string>
#include <vector>

namespace tapehead {

/// How another program ended, and what it printed on standard output and standard error.
struct ProcessResult {
  int status = 0;          ///< its exit status; 128 and the signal's number if one ended it
  bool timed_out = false;  ///< it ran too long, and was ended
  std::string output;      ///< at most the first 64 KiB
};

/// Runs a program, found as a shell would, without input. It is ended after `seconds`; 0: never.
/// With it ends what it has started, but for what leaves its process group. Throws FileError where
/// the program can't be started.
ProcessResult run_process(const std::vector<std::string>& words, int seconds = 0);

}  // namespace tapehead
