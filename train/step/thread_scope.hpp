#pragma once
#include "../../core/runtime/parallel.hpp"

namespace tapehead {

/// A scope that sets the calling thread's number of threads. The destructor restores it, and must
/// run on the same thread.
class ThreadScope {
 public:
  /// Throws as set_threads does, and then leaves the number unchanged.
  explicit ThreadScope(int count) : before_(threads()) { set_threads(count); }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace tapehead
