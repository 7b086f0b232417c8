#pragma once
#include "../core/runtime/parallel.hpp"

namespace tapehead {

/// Sets the number of threads that the process computes with, and restores it when it is destroyed.
/// To be constructed on the main thread, between runs.
class ThreadScope {
 public:
  /// Throws as set_threads does; the number is then unchanged.
  explicit ThreadScope(int count) : before_(threads()) { set_threads(count); }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace tapehead
