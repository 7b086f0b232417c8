#pragma once
#include <atomic>
#include <csignal>

namespace tapehead {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGUSR1, which Slurm can send some time before the
/// end, ask training to stop. A second SIGINT or SIGTERM ends the program at once, which loses no
/// more than the steps since the last checkpoint. A terminal that is closed may send SIGHUP twice,
/// and the second one changes nothing. Where SIGHUP was ignored before, as by nohup, it still is.
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
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, &warning_);
    sigaction(SIGHUP, &action, &hang_up_);
    if (hang_up_.sa_handler == SIG_IGN) sigaction(SIGHUP, &hang_up_, nullptr);
  }
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
    sigaction(SIGUSR1, &warning_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static inline std::atomic<bool> stop = false;
  static constexpr int status = 130;  ///< exit status of a program that they ended

 private:
  struct sigaction interrupt_ {
  }, terminate_{}, hang_up_{}, warning_{};
};

}  // namespace tapehead
