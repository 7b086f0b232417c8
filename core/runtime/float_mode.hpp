#pragma once
#include <cfenv>

namespace tapehead {

/// While it is alive, its thread computes in the default mode of IEEE 754: it rounds to nearest,
/// keeps denormal numbers, and continues after an overflow. The destructor restores the previous
/// mode. That mode can differ: loading a library linked with -ffast-math disables denormals. The
/// command, training, thread pools and the Python package create a FloatMode. A program that calls
/// ops directly creates its own, or computes in its current mode.
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
