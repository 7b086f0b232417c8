#pragma once
#include "../shape.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace tapehead {

/// A parallel loop: each iteration goes to the first free thread, the one that opened the loop or
/// an idle helper. An object is reused for many loops, one after the other.
class alignas(64) Loop {
 public:
  using Work = std::function<void(Index)>;

  /// Opens the loop. The same thread then calls run(), waits until helpers() is 0, and calls
  /// close().
  void open(Index count, const Work& work) {
    work_ = &work;
    failed_at_ = count;
    count_ = count;
    next_ = 0;
    open_ = true;
  }
  /// Runs iterations on the opening thread until none is left.
  void run() {
    const Index count = count_;
    for (Index i = next_++; i < count; i = next_++) {
      try {
        (*work_)(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (i >= failed_at_) continue;
        failed_at_ = i;
        failure_ = std::current_exception();
      }
    }
    open_ = false;  // threads that arrive later don't help
  }
  /// Returns the number of other threads that run iterations now.
  int helpers() const { return helpers_; }
  /// Returns the exception of the failed iteration with the smallest index, or null.
  std::exception_ptr close() { return std::exchange(failure_, nullptr); }

  /// Returns whether iterations are left for another thread. They may be taken before it starts.
  bool needs_help() const { return open_ && next_ < count_; }
  /// Runs iterations on another thread. Returns false if none was left. helpers() counts this
  /// thread while it runs.
  bool help() {
    if (!needs_help()) return false;
    ++helpers_;
    const bool came_in_time = open_;  // stays open while helpers_ counts this thread
    if (came_in_time) run();
    --helpers_;
    return came_in_time;
  }

 private:
  const Work* work_ = nullptr;
  Index failed_at_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<Index> count_{0};
  std::atomic<bool> open_{false};
  std::atomic<int> helpers_{0};
  alignas(64) std::atomic<Index> next_{0};  // on its own cache line, since all threads write it
};

}  // namespace tapehead
