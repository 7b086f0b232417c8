#pragma once
#include "../../train/tasks/task.hpp"
#include "terminal.hpp"

namespace tapehead {

/// Writes tokens to standard output as soon as they are generated. Where a token ends within a
/// character, it waits for those that complete it.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}
  void add(int token);
  void end();  ///< writes what still waits

 private:
  void write();

  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> last_, waiting_;  // one that is written, or none at first; those after it
};

}  // namespace tapehead
