#pragma once
// Child programs, and functions that run in a forked process.
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tapehead::system {

/// Returns whether a shell would find this program on the PATH.
bool has_program(const std::string& name);

/// A running program without input, in a separate process group, so Ctrl-C doesn't interrupt it.
/// Its child processes may continue when this object is destroyed; `end` ends them, too.
class Process {
 public:
  enum class Captured { all, errors };  ///< all its output, or only standard error
  /// Starts a program on the PATH. Throws FileError if it can't be started.
  Process(std::vector<std::string> words, Captured captured);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns its new output. Waits for output for at most this many milliseconds.
  std::string read(int milliseconds);
  bool has_ended();
  /// Sends the signal that StopSignals handles in that process.
  void request_stop();
  /// Kills its process group.
  void end();
  /// Returns its exit status once it has ended; 128 + the signal number if a signal ended it.
  int status();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// A function call in a forked copy of this process.
class Fork {
 public:
  static const bool possible;
  /// Throws Error if the system can't create another process.
  explicit Fork(const std::function<void()>& work);
  /// Returns whether it has ended. Sets `signal` to the signal that ended it, if any.
  bool has_ended(int& signal);
  /// Asks it to end if `ask` is true, otherwise kills it.
  void end(bool ask);

 private:
  [[maybe_unused]] long id_;
};

/// Limits the memory and the size of each written file, in bytes, for this process and its
/// children.
void limit_resources(double memory, double file);

/// Loads a library and returns a function from it. The library stays loaded and its symbols are
/// global, because the modules of Open MPI need that. Throws Error with the reason on failure.
void* load_function(const std::string& library, const std::string& name);

}  // namespace tapehead::system
