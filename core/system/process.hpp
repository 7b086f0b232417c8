#pragma once
// Other programs, and work in a process of its own.
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tapehead::system {

/// Whether a program is on the path, where a shell would find it.
bool has_program(const std::string& name);

/// A program that runs, in a process group of its own: a terminal doesn't interrupt it. It has no
/// input. Without the rest of its group, which `end` ends, it may go on when this is destroyed.
class Process {
 public:
  enum class Captured { all, errors };  ///< what it writes, or what it writes on standard error
  /// Starts a program, found as a shell would. Throws FileError where it can't be started.
  Process(std::vector<std::string> words, Captured captured);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// What it has written since, waiting for it for so many milliseconds at most.
  std::string read(int milliseconds);
  bool has_ended();
  /// Asks it to stop, as StopSignals of that process hears.
  void request_stop();
  /// Ends it, and all that it has started but for what has left its group.
  void end();
  /// Its exit status, once it has ended; 128 and the signal's number if one ended it.
  int status();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// A function's call, in a copy of this process.
class Fork {
 public:
  static const bool possible;
  /// Throws Error where the system has no room for another process.
  explicit Fork(const std::function<void()>& work);
  /// Whether it has ended. `signal` becomes that which ended it, if one did.
  bool has_ended(int& signal);
  /// Asks it to end, or ends it.
  void end(bool ask);

 private:
  [[maybe_unused]] long id_;
};

/// Limits what this process, and all that it starts, may use: bytes of memory, and of each file
/// that it writes.
void limit_resources(double memory, double file);

/// Loads a library and returns its function of this name. The library stays loaded, and its symbols
/// are global, because Open MPI's own modules need that. Throws Error with the reason if it can't.
void* load_function(const std::string& library, const std::string& name);

}  // namespace tapehead::system
