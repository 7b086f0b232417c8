#pragma once
// Fused multiply-add of scalars (a b + c, rounded once), also for processors without an instruction
// for it.
#include "../simd.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline float fused(float a, float b, float c) { return std::fma(a, b, c); }
#else
/// Computes a b + c in f32. The product is exact in f64, but the sum would be rounded to f64 and to
/// f32. That matters only if the f64 sum is halfway between two f32 numbers, or if the f32 result
/// is denormal. Then the f64 sum is rounded to odd: towards zero, with the last bit set if anything
/// was lost (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
/// using rounding to odd", 2008).
inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c;
  double sum = product + addend;
  std::uint64_t bits;
  std::memcpy(&bits, &sum, 8);
  constexpr std::uint64_t cut = (1 << 29) - 1, middle = 1 << 28;  // the 29 bits that f32 cuts off
  if ((bits & cut) == middle || (std::abs(sum) < 0x1p-126 && sum != 0)) {
    const double of_addend = sum - product;  // product + addend == sum + lost (Knuth)
    const double lost = (product - (sum - of_addend)) + (addend - of_addend);
    if ((lost > 0 || lost < 0) && bits % 2 == 0) {
      bits += (lost > 0) == (sum > 0) ? std::uint64_t{1} : ~std::uint64_t{0};
      std::memcpy(&sum, &bits, 8);
    }
  }
  return static_cast<float>(sum);
}
#endif
#if defined(_WIN32) && !defined(__FMA__)
/// The absolute value of a number as digits 2^exponent with an integer `digits`. Used to compute a
/// b + c in f64, because mingw's std::fma rounds twice.
struct Digits {
  explicit Digits(double number) {
    number = std::frexp(std::abs(number), &exponent);
    digits = static_cast<unsigned __int128>(std::ldexp(number, 53));
    exponent -= 53;
  }
  Digits(unsigned __int128 digits_, int exponent_) : digits(digits_), exponent(exponent_) {}
  /// Returns the same number with `digits` shifted so that its highest set bit is bit 125.
  Digits shifted() const {
    Digits d = *this;
    for (; d.digits >> 125 == 0; --d.exponent) d.digits <<= 1;
    return d;
  }
  unsigned __int128 digits;
  int exponent;
};

inline double fused(double a, double b, double c) {
  if (std::isinf(c) && std::isfinite(a) && std::isfinite(b)) return c;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c) || a == 0 || b == 0)
    return a * b + c;
  if (c == 0) return a * b;  // adding 0 would lose the sign of an underflow to 0
  const Digits of_a(a), of_b(b);
  Digits more = Digits(of_a.digits * of_b.digits, of_a.exponent + of_b.exponent).shifted();
  Digits less = Digits(c).shifted();
  bool is_negative = (a < 0) != (b < 0);
  const bool subtracts = is_negative != (c < 0);
  if (less.exponent > more.exponent ||
      (less.exponent == more.exponent && less.digits > more.digits)) {
    std::swap(more, less);
    is_negative = c < 0;
  }
  // Shifts the digits of the smaller number to the right. If nonzero digits are lost, sets its last
  // bit, which is far below the last digit of the result.
  const int distance = more.exponent - less.exponent;
  const unsigned __int128 kept = distance > 126 ? 0 : less.digits >> distance;
  const bool is_exact = distance <= 126 && kept << distance == less.digits;
  const unsigned __int128 smaller = kept | (is_exact ? 0 : 1);
  const unsigned __int128 sum = subtracts ? more.digits - smaller : more.digits + smaller;
  if (sum == 0) return 0;
  int top = 127;
  while (sum >> top == 0) --top;
  const int least = -1074 - more.exponent;  // exponent of the smallest denormal number
  const int shift = top - 52 > least ? top - 52 : least;
  double result = 0;
  if (shift <= 0) {
    result = std::ldexp(static_cast<double>(sum), more.exponent);
  } else if (shift < 128) {
    const unsigned __int128 one = 1, rest = sum & ((one << shift) - 1), half = one << (shift - 1);
    const auto digits = static_cast<std::uint64_t>(sum >> shift);
    const bool up = rest > half || (rest == half && digits % 2 == 1);
    result = std::ldexp(static_cast<double>(digits + up), more.exponent + shift);
  }
  return is_negative ? -result : result;
}
#else
/// Computes a b + c in f64 with the standard library.
inline double fused(double a, double b, double c) { return std::fma(a, b, c); }
#endif
}  // namespace TAPEHEAD_ISA

#ifdef __wasm_simd128__
// The relaxed-SIMD instruction of WebAssembly rounds once or twice, depending on the processor. If
// it rounds once, the web page replaces calls of these functions by it: see
// parts/web/multiply_adds.mjs.
extern "C" {
[[gnu::const]] v128_t fma_f32x4(v128_t a, v128_t b, v128_t c) noexcept;
[[gnu::const]] v128_t fma_f64x2(v128_t a, v128_t b, v128_t c) noexcept;
}
#endif
}  // namespace tapehead::kernel
