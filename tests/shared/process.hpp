#pragma once
// The command in its own process, which can be killed and disturbed.
#include "command.hpp"

#include <sys/resource.h>

#include <chrono>
#include <map>
#include <optional>

namespace tapehead {

using Environment = std::map<std::string, std::string>;

/// A running command. Its standard output is dropped. Its standard error goes to the file `errors`
/// in the working folder.
class Process {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the command with the test's environment and `environment`.
  explicit Process(Words words, rlim_t largest_file = RLIM_INFINITY,
                   const Environment& environment = {});
  ~Process() {
    if (id_ > 0) kill();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int wait();  ///< waits for the end; returns the exit status, -1 if it was killed
  /// Returns the exit status if the process ends in time.
  std::optional<int> ended_within(Clock::duration time);
  void kill();

 private:
  pid_t id_ = 0;
};

}  // namespace tapehead
