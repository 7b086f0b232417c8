#pragma once
#include <cfenv>

namespace tapehead {

/// A scope in which this thread computes in the default IEEE 754 mode: it rounds to nearest, keeps
/// denormals, and continues after an overflow. The destructor restores the previous mode. That mode
/// can differ, because loading a library linked with -ffast-math disables denormals. The command,
/// training, thread pools and the Python package create a FloatMode. A program that calls ops
/// directly computes in its own mode unless it creates a FloatMode.
class FloatMode {
 public:
  FloatMode() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatMode() { std::fesetenv(&before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace tapehead
