#include "bf16.hpp"
#include "bf16_pack.hpp"

#ifdef TAPEHEAD_BF16
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tapehead {
namespace {

/// Whether there are AMX tiles and products of bf16 in them: bits 24 and 22. Clang knows no names
/// for them before version 16.
bool has_amx() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1) && (d >> 22 & 1);
}

/// Linux enables the AMX tile registers for processes that ask for them.
bool ask_for_amx() {
  constexpr long request_permission = 0x1023, tile_data = 18;
  return has_amx() && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

Bf16Unit bf16_unit() {
  static const Bf16Unit found = !__builtin_cpu_supports("avx512bf16") ? Bf16Unit::none
                                : ask_for_amx()                       ? Bf16Unit::amx
                                                                      : Bf16Unit::avx512;
  return found;
}

void gemm_bf16(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               float factor, bool accumulate, const float* bias, Bf16Unit unit) {
  const auto multiply = unit == Bf16Unit::amx ? gemm_bf16_amx : gemm_bf16_avx512;
  multiply(a, b, c, {factor, accumulate, bias});
}

}  // namespace tapehead

#else

namespace tapehead {

Bf16Unit bf16_unit() { return Bf16Unit::none; }
void gemm_bf16(const Matrix<const float>&, const Matrix<const float>&, const Matrix<float>&, float,
               bool, const float*, Bf16Unit) {}

}  // namespace tapehead

#endif
