#pragma once
// Sine and cosine. The argument reduction is by Cody and Waite, and for huge angles by Payne and
// Hanek, SIGNUM Newsletter 18 (1983).
#include "numbers.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

constexpr Constant half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double half_pi_third = -0x1.f1976b7ed8fbcp-110, two_over_pi = 0x1.45f306dc9c883p-1;

/// Coefficients of (sin(r) / r - 1) / t in t = r^2, |r| <= pi/4. The comment in the list is the
/// relative error.
inline constexpr std::array sin_terms{// 2^-57.9
                                      0x1.5d8e327cc748cp-33, -0x1.ae5e5457b33a9p-26,
                                      0x1.71de355ecb5b5p-19, -0x1.a01a019bf1c66p-13,
                                      0x1.111111110f75ap-7,  -0x1.5555555555548p-3};
/// Coefficients of (cos(r) - 1 + t/2) / t^2 in t.
inline constexpr std::array cos_terms{// 2^-64.0
                                      -0x1.8fa6d1939bf7ep-37, 0x1.1ee9dc617eda6p-29,
                                      -0x1.27e4f7f25aa11p-22, 0x1.a01a019c900fap-16,
                                      -0x1.6c16c16c1501bp-10, 0x1.555555555554bp-5};

/// A reduced angle: x = (n + 4 i) pi/2 + r with integers n and i, and |r| <= pi/4.
template <class V>
struct Angle {
  V n;
  Pair<V> r;
};
/// Reduces a scalar with |x| > 1. Multiplies x only by those bits of 2 / pi that affect the product
/// modulo 4.
[[gnu::noinline]] inline Angle<double> huge_angle(double x) {
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t digits[] = {0,  // integer part of 2 / pi
                                             0xa2f9836e4e441529,
                                             0xfc2757d1f534ddc0,
                                             0xdb6295993c439041,
                                             0xfe5163abdebbc561,
                                             0xb7246e3a424dd2e0,
                                             0x06492eea09d1921c,
                                             0xfe1deb1cb129a73e,
                                             0xe88235f52ebb4484,
                                             0xe99c7026b45f7e41,
                                             0x3991d639835339f4,
                                             0x9c845f8bbdf9283b,
                                             0x1ff897ffde05980f,
                                             0xef2f118b5a0a6d1f,
                                             0x6d367ecf27cb09b7,
                                             0x4f463f669e5fea2d,
                                             0x7527bac7ebe5f17b,
                                             0x3d0739f78a5292ea,
                                             0x6bfb5fb11f8d5d08,
                                             0x56033046fc7b6bab};
  const std::uint64_t all = bits(abs(x));
  const int exponent = static_cast<int>(all >> 52) - 1075;
  if (exponent == 972) return {0, {x - x, 0}};  // NaN and infinity
  const std::uint64_t m = (all & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  // `top` and `low` contain m 2^exponent 2 / pi modulo 4, where m is the mantissa of x. Two bits
  // are the integer part, and 190 bits the fraction, of which the last bit is uncertain.
  const int first = exponent + 62, at = first / 64, shift = first % 64;
  const auto window = [&](int i) {
    const std::uint64_t high = digits[at + i] << shift;
    return shift ? high | digits[at + i + 1] >> (64 - shift) : high;
  };
  const Wide low = Wide{m} * window(2), middle = Wide{m} * window(1) + (low >> 64);
  const Wide top = (Wide{m * window(0)} << 64) + middle;
  const int n = static_cast<int>((top >> 125) + 1) >> 1;  // nearest integer
  Wide part = top << 2 | static_cast<std::uint64_t>(low) >> 62;
  const bool negative = part >> 127;
  if (negative) part = -part;
  const int zeros = __builtin_clzll(static_cast<std::uint64_t>(part >> 64) | 1);
  part <<= zeros;
  const double scale = from_bits<double>(std::uint64_t(1023 - 64 - zeros) << 52);
  const double high = static_cast<double>(static_cast<std::uint64_t>(part >> 75) << 11) * scale;
  const double rest =
      static_cast<double>(static_cast<std::uint64_t>(part >> 11)) * (scale * 0x1p-53);
  const Pair<double> fraction{negative ? -high : high, negative ? -rest : rest};
  const Pair<double> r = fraction * Pair<double>{half_pi.value, half_pi.rest};
  return x < 0 ? Angle<double>{-double(n), {-r.value, -r.rest}} : Angle<double>{double(n), r};
}
template <class V>
[[gnu::always_inline]] inline Angle<V> angle_of(const V& x) {
  const V n = fma(x, constant<V>(two_over_pi), rounder<V>()) - rounder<V>();
  const V most = fma(n, neg(value_of<V>(half_pi)), x);  // exact
  const Pair<V> less = exact_product(n, neg(rest_of<V>(half_pi)));
  const V r = most + less.value, back = r - most;
  const V rest = (most - (r - back)) + (less.value - back);
  Angle<V> angle{n, {r, rest + fma(n, constant<V>(-half_pi_third), less.rest)}};
  const V limit = constant<V>(1 << 20);
  if (any(abs(x) > limit)) {
    if constexpr (is_register<V>) {
      const auto part = [&](auto f, const V& here) {
        return lanewise(
            [&](double v, double h) { return std::abs(v) > 1 << 20 ? f(huge_angle(v)) : h; }, x,
            here);
      };
      angle = {part([](const auto& a) { return a.n; }, angle.n),
               {part([](const auto& a) { return a.r.value; }, angle.r.value),
                part([](const auto& a) { return a.r.rest; }, angle.r.rest)}};
    } else {
      angle = huge_angle(x);
    }
  }
  return angle;
}
/// Computes the sine of x + quarters pi/2.
template <class V>
[[gnu::always_inline]] inline V sine(const V& x, int quarters) {
  const auto [n, angle] = angle_of(x);
  const auto [r, rest] = angle;
  const V one = constant<V>(1), half = constant<V>(0.5), t = r * r;
  const V short_of_1 = one - half * t;
  const V sin = r + fma(r * t, polynomial(t, sin_terms), rest * short_of_1);
  const V cos_rest = fma(neg(r), rest, fma(neg(half), t, one - short_of_1));
  const V cos = short_of_1 + fma(t * t, polynomial(t, cos_terms), cos_rest);
  const Word<V> quadrant = bits(n + rounder<V>()) + word<V>(static_cast<std::uint64_t>(quarters));
  const V odd = from_bits<V>((quadrant & word<V>(1)) << 62), sign = from_bits<V>(quadrant << 62);
  return flipped(select(odd > constant<V>(0), cos, sin), sign);
}

/// Compute sin(x) and cos(x) for any x; NaN if x is infinite.
template <class V>
[[gnu::always_inline]] inline V sin(const V& x) {
  if constexpr (sizeof(Element<V>) == 4)
    return in_double([](const auto& v) { return kernel::sin(v); }, x);
  else
    return select(abs(x) < constant<V>(0x1p-30), x, sine(x, 0));
}
template <class V>
[[gnu::always_inline]] inline V cos(const V& x) {
  if constexpr (sizeof(Element<V>) == 4)
    return in_double([](const auto& v) { return kernel::cos(v); }, x);
  else
    return sine(x, 1);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
