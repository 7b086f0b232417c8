#pragma once
#include <csignal>

namespace tapehead {

/// While it lives, a signal does nothing, so that the call that would raise it fails instead: a
/// write with EPIPE in place of SIGPIPE, or with EFBIG in place of SIGXFSZ.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int number) : number_(number) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(number_, &ignore, &before_);
  }
  ~IgnoredSignal() { sigaction(number_, &before_, nullptr); }
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

 private:
  const int number_;
  struct sigaction before_ {};
};

}  // namespace tapehead
