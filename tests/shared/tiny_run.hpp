#pragma once
// A run that takes milliseconds in a process of its own, and what it comes to.
#include "process.hpp"

namespace tapehead {

/// Files are in memory, where there is such a place and no other is asked for: what a disk has
/// still to sync, a kill doesn't take back.
class InMemory {
 public:
  InMemory();
  ~InMemory();

 private:
  bool is_set_;
};

/// Of a text; its rate is so high that its best checkpoint isn't always the last.
class TinyRun {
 public:
  explicit TinyRun(const std::string& options) : options_(options) {}

  /// The words that begin it in this folder.
  Words beginning(const std::string& run) const;
  /// Those that begin it, or go on with it.
  Words train(const std::string& run) const;

 private:
  std::string options_;
};

/// All bytes that a run comes to, but for the times.
Words result_of(const std::string& run);

/// A run that nothing has befallen. The working folder is the caller's, who has an empty one.
struct WholeRun {
  explicit WholeRun(const TinyRun& tiny);
  /// Which that of another must equal.
  void expect(const std::string& run) const;

  Scratch scratch;
  std::string path;
  Process::Clock::duration time = std::chrono::hours(1);  // the least of some
  Words expected;
};

/// How often something is tried: `variable` of the environment, if it is there.
int count_of(const char* variable, int by_default);

}  // namespace tapehead
