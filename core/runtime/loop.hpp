#pragma once
#include "../shape.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace tapehead {

/// A parallel loop: each iteration goes to the first free thread, either the thread that opened the
/// loop or an idle helper. The object is reused for many loops, one after the other.
class alignas(64) Loop {
 public:
  using Work = std::function<void(Index)>;

  /// Opens the loop. The calling thread then calls run(), waits until helpers() is 0, and calls
  /// close().
  void open(Index count, const Work& work) {
    work_ = &work;
    failed_at_ = count;
    count_ = count;
    next_ = 0;
    open_ = true;
  }
  /// Runs iterations on the calling thread until none is left.
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
    open_ = false;  // a thread that calls help() later does nothing
  }
  /// Returns the number of other threads that are running iterations.
  int helpers() const { return helpers_; }
  /// Returns the exception of the failed iteration with the smallest index, or null if none failed.
  std::exception_ptr close() { return std::exchange(failure_, nullptr); }

  /// Returns whether iterations are left for another thread. When that thread starts, others may
  /// have taken them.
  bool needs_help() const { return open_ && next_ < count_; }
  /// Runs iterations on the calling thread, which helpers() counts until this function returns.
  /// Returns false if the loop needs no help.
  bool help() {
    if (!needs_help()) return false;
    ++helpers_;
    const bool came_in_time = open_;  // if true, the thread that opened the loop waits for this one
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
  alignas(64) std::atomic<Index> next_{0};  // on a separate cache line: all threads write it
};

}  // namespace tapehead
