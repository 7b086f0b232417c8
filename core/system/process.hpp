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
/// The destructor doesn't end the program; end() kills it and its child processes.
class Process {
 public:
  enum class Captured { all, errors };  ///< all output, or only standard error
  /// Starts a program on the PATH; `words` are its name and arguments. Throws FileError on failure.
  Process(std::vector<std::string> words, Captured captured);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns the program's new output. Waits for output for at most this many milliseconds.
  std::string read(int milliseconds);
  bool has_ended();
  /// Sends the program a signal that StopSignals handles.
  void request_stop();
  /// Kills the program's process group.
  void end();
  /// Waits for the end of the program, and returns its exit status, or 128 + the number of the
  /// signal that ended it.
  int status();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// A function call in a forked copy of this process.
class Fork {
 public:
  static const bool possible;
  /// Calls `work` in the forked process. Throws Error if the system can't create another process.
  explicit Fork(const std::function<void()>& work);
  /// Returns whether the forked process has ended. If a signal has ended it, sets `signal` to that
  /// signal.
  bool has_ended(int& signal);
  /// Ends the forked process: sends SIGTERM if `ask` is true, otherwise kills it.
  void end(bool ask);

 private:
  [[maybe_unused]] long id_;
};

/// Limits the memory of this process and each child, and the size of each file they write, in
/// bytes.
void limit_resources(double memory, double file);

/// Loads a library and returns one of its functions. The library stays loaded and its symbols are
/// global, because the modules of Open MPI require that. Throws Error with the reason on failure.
void* load_function(const std::string& library, const std::string& name);

}  // namespace tapehead::system
