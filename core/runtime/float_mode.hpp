#pragma once
#include <cfenv>

namespace tapehead {

/// While it lives, its thread computes as IEEE 754 has it unless told otherwise: it rounds to the
/// nearest, keeps denormal numbers and goes on after an overflow. Then the thread is again in the
/// mode that it was found in. Whoever loads a library that was linked with -ffast-math, for one,
/// loses denormals from then on. The command, training, the threads of a pool and the functions of
/// the Python package compute within such a scope; a program that calls ops by itself does so in
/// the mode that it has set, or makes one.
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
