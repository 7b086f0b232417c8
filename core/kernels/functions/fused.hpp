#pragma once
// a b + c of scalars, rounded once, also where the processor has no instruction for it.
#include "../simd.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline float fused(float a, float b, float c) { return std::fma(a, b, c); }
#else
/// Of f32: f64 holds the product exactly, and its sum with c is rounded a second time. That gives
/// another number only where the first rounding led to the middle between two of f32, or where f32
/// has fewer digits than ever. There the sum is rounded to odd first: towards zero, with the last
/// bit set if anything was lost, which keeps it off the middle (Boldo and Melquiond, "Emulation of
/// a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c;
  double sum = product + addend;
  std::uint64_t bits;
  std::memcpy(&bits, &sum, 8);
  constexpr std::uint64_t cut = (1 << 29) - 1, middle = 1 << 28;  // of 53 digits f32 keeps 24
  if ((bits & cut) == middle || (std::abs(sum) < 0x1p-126 && sum != 0)) {
    const double of_addend = sum - product;  // Knuth's exact sum
    const double lost = (product - (sum - of_addend)) + (addend - of_addend);
    if ((lost > 0 || lost < 0) && bits % 2 == 0) {
      bits += (lost > 0) == (sum > 0) ? std::uint64_t{1} : ~std::uint64_t{0};
      std::memcpy(&sum, &bits, 8);
    }
  }
  return static_cast<float>(sum);
}
#endif
/// Of f64: in the standard library's way.
inline double fused(double a, double b, double c) { return std::fma(a, b, c); }
}  // namespace TAPEHEAD_ISA

#ifdef __wasm_simd128__
// Exact ones of registers, in wasm.cpp. WebAssembly's own instruction may round twice: it does what
// the processor does. So kernels have calls of these, and where the processor is found to round
// once, whoever loads the module puts the instruction in their place.
extern "C" {
[[gnu::const]] v128_t fma_f32x4(v128_t a, v128_t b, v128_t c) noexcept;
[[gnu::const]] v128_t fma_f64x2(v128_t a, v128_t b, v128_t c) noexcept;
}
#endif
}  // namespace tapehead::kernel
