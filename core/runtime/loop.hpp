#pragma once
#include "../shape.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace tapehead {

/// A loop whose next iteration goes to the first thread that asks for it: the one that opened it,
/// or one that has nothing else to do. An object serves many loops, one after the other.
class alignas(64) Loop {
 public:
  using Work = std::function<void(Index)>;

  /// The following three are called by one thread in turn: it opens the loop, runs what nobody else
  /// does, and closes it once nobody is inside.
  void open(Index count, const Work& work) {
    work_ = &work;
    failed_at_ = count;
    count_ = count;
    next_ = 0;
    open_ = true;
  }
  /// Runs iterations until none is left.
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
    open_ = false;  // whoever comes later finds it so
  }
  int helpers() const { return helpers_; }
  /// The exception of the first iteration that failed, or null.
  std::exception_ptr close() { return std::exchange(failure_, nullptr); }

  /// Whether another thread has something to do here. It may be gone when that thread comes.
  bool needs_help() const { return open_ && next_ < count_; }
  /// Calls run for another thread, if there is something to do; whether there was. helpers() counts
  /// this thread meanwhile.
  bool help() {
    if (!needs_help()) return false;
    ++helpers_;
    const bool came_in_time = open_;  // and it stays open for as long as helpers_ counts this one
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
  alignas(64) std::atomic<Index> next_{0};  // alone on its line: all who help write to it
};

}  // namespace tapehead
