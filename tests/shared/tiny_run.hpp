#pragma once
// A run that takes milliseconds in its own process, and its result.
#include "process.hpp"

namespace tapehead {

/// Keeps files in memory, if possible and unless another place is requested. A kill doesn't lose
/// data that isn't synced yet.
class InMemory {
 public:
  InMemory();
  ~InMemory();

 private:
  bool is_set_;
};

/// A run on text, with such a high learning rate that its best checkpoint isn't always the last.
class TinyRun {
 public:
  explicit TinyRun(const std::string& options) : options_(options) {}

  /// Returns the command line that starts it in this folder.
  Words beginning(const std::string& run) const;
  /// Returns the command line that starts or resumes it.
  Words train(const std::string& run) const;

 private:
  std::string options_;
};

/// Returns all bytes of a run, except times.
Words result_of(const std::string& run);

/// An undisturbed run. The caller provides an empty working folder.
struct WholeRun {
  explicit WholeRun(const TinyRun& tiny);
  /// Expects that another run's result equals this one.
  void expect(const std::string& run) const;

  Scratch scratch;
  std::string path;
  Process::Clock::duration time = std::chrono::hours(1);  // minimum of several runs
  Words expected;
};

/// Returns a number of repetitions: the environment's `variable` if it is set.
int count_of(const char* variable, int by_default);

}  // namespace tapehead
