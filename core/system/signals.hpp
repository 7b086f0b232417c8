#pragma once
// What asks a program to end.
#include <atomic>
#include <memory>

namespace tapehead {

/// While it lives, whoever would end this program asks training to stop: SIGINT, SIGTERM, SIGHUP
/// and SIGUSR1, which Slurm can send some time before the end, or on Windows Ctrl-C, Ctrl-Break and
/// a window that is closed. A second SIGINT or SIGTERM ends the program at once, which loses no
/// more than the steps since the last checkpoint. A terminal that is closed may send SIGHUP twice,
/// and the second one changes nothing. Where SIGHUP was ignored before, as by nohup, it still is.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static inline std::atomic<bool> stop = false;
  static constexpr int status = 130;  ///< exit status of a program that they ended

 private:
  struct Before;
  const std::unique_ptr<Before> before_;
};
static_assert(std::atomic<bool>::is_always_lock_free);

/// While it lives, a signal that would end this program waits, so that it can end those that it has
/// started first: a terminal sends them none.
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

/// While it lives, a write that can't succeed fails instead of ending the program: with EPIPE where
/// whoever reads has gone, or with EFBIG where a file may not be as large.
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
