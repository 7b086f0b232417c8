#pragma once
#include "../../core/runtime/parallel.hpp"

namespace tapehead {

/// Sets the number of threads that this thread computes with, and restores it when it is destroyed,
/// on the same thread.
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
