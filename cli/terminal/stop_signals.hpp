#pragma once
#include <atomic>
#include <csignal>

namespace tapehead {

/// While it lives, SIGINT and SIGTERM ask training to stop. A second signal ends the program at
/// once, which loses no more than the steps since the last checkpoint.
class StopSignals {
 public:
  StopSignals() {
    static_assert(std::atomic<bool>::is_always_lock_free);
    stop = false;
    struct sigaction action {};
    action.sa_handler = [](int) { stop = true; };
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static inline std::atomic<bool> stop = false;
  static constexpr int status = 130;  ///< exit status of a program that they ended

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

}  // namespace tapehead
