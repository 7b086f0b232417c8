#pragma once
// Signals that ask a program to end.
#include <atomic>
#include <memory>

namespace tapehead {

/// A scope in which signals that would end this program set `stop` instead, so that training can
/// stop cleanly. These signals are SIGINT, SIGTERM, SIGHUP, and SIGUSR1, which Slurm can send
/// before a job's time limit. On Windows they are Ctrl-C, Ctrl-Break and closing the window. A
/// second SIGINT or SIGTERM ends the program at once; only the steps since the last checkpoint are
/// lost. A second SIGHUP has no effect, because a closing terminal may send it twice. SIGHUP stays
/// ignored if it was ignored before, for example by nohup.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static inline std::atomic<bool> stop = false;
  static constexpr int status = 130;  ///< exit status of a program that was stopped by a signal

 private:
  struct Before;
  const std::unique_ptr<Before> before_;
};
static_assert(std::atomic<bool>::is_always_lock_free);

/// A scope that defers signals that would end this program until the scope ends. The program can
/// then first end its child programs, which don't get signals from the terminal.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  bool came() const;

 private:
  struct Before;
  const std::unique_ptr<Before> before_;
};

/// A scope in which a failing write sets errno instead of ending the program: EPIPE if the reader
/// of a pipe or socket has closed it, or EFBIG if a file exceeds the size limit.
class WriteSignalGuard {
 public:
  enum class To { pipe, file };
  explicit WriteSignalGuard(To to);
  ~WriteSignalGuard();
  WriteSignalGuard(const WriteSignalGuard&) = delete;
  WriteSignalGuard& operator=(const WriteSignalGuard&) = delete;

 private:
  struct Before;
  const std::unique_ptr<Before> before_;
};

}  // namespace tapehead
