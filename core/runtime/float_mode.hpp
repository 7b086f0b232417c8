#pragma once
#include <cfenv>

namespace tapehead {

/// While it is alive, its thread computes in IEEE 754's default mode: it rounds to the nearest,
/// keeps denormal numbers and goes on after an overflow. After it, the thread is back in the mode
/// that it was found in, which may be another: to load a library that was linked with -ffast-math
/// is enough to lose denormals. The command, training, the threads of a pool and the functions of
/// the Python package compute within such a scope; a program that calls ops by itself makes one, or
/// computes in the mode that it has set.
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
