#pragma once
// erf, erfc and the normal distribution.
#include "exponentials.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

constexpr Constant two_over_sqrt_pi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr Constant sqrt_half{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};

/// Coefficients of (erf(x) / x - 2 / sqrt(pi)) / t in t = x^2 <= 1/4. The comment in a list is the
/// relative error.
template <class T>
constexpr int erf_terms = 0;
template <>
inline constexpr std::array erf_terms<float>{
    // 2^-29.3
    0x1.35fd58p-8f, -0x1.b67ffp-6f, 0x1.ce2646p-4f, -0x1.812738p-2f};
template <>
inline constexpr std::array erf_terms<double>{
    // 2^-63.8
    -0x1.3bfc207cf21e4p-23, 0x1.b7c15ac01eacfp-20,  -0x1.f4c03bffda124p-17,
    0x1.f9a2cdd058e88p-14,  -0x1.c02db303d1308p-11, 0x1.565bcd0cf9e4ap-8,
    -0x1.b82ce312876fcp-6,  0x1.ce2f21a042c09p-4,   -0x1.812746b0379e7p-2};
/// Coefficients of (1 + 2 x) e^(x^2) erfc(x) in q = (x - middle) / (x + middle), x >= 1/2.
/// erfc_at_middle is the constant term with twice the precision.
template <class T>
constexpr int erfc_terms = 0;
template <>
inline constexpr std::array erfc_terms<float>{// middle 2: 2^-27.8
                                              -0x1.ce0666p-13f, -0x1.4bf55ep-10f, 0x1.2b64dp-10f,
                                              0x1.1bc19ap-7f,   -0x1.0649cap-7f,  -0x1.bc195ap-5f,
                                              0x1.4ff8b6p-3f,   -0x1.5407f8p-3f,  -0x1.7bf5dap-4f};
template <>
inline constexpr std::array erfc_terms<double>{
    // middle 3: 2^-57.8
    -0x1.f961387e8eadcp-27, 0x1.802796b57732dp-26, 0x1.d7ea3dedbfab7p-24, -0x1.022cb7358846bp-23,
    -0x1.50fdbf2d67e85p-21, 0x1.708039b21f1d3p-22, 0x1.d31b913609b80p-19, -0x1.85cc911a21a12p-21,
    -0x1.5149672aa0adep-16, 0x1.4c0f63e317e34p-18, 0x1.065aaac71137ep-13, -0x1.b91239a303a7ap-14,
    -0x1.98db55b42156dp-11, 0x1.ef1bdce11ebf1p-10, 0x1.4b884e608d1abp-9,  -0x1.8574c40b63e05p-6,
    0x1.17ca2877e5126p-4,   -0x1.e88b803a4a1cdp-4, 0x1.098366a5b490ep-3,  -0x1.85a15c58aa566p-5,
    -0x1.15c084bb9e8f7p-3};
template <class T>
constexpr Constant erfc_at_middle = {0x1.40c522d7e4987p+0, 0x1.8836891168ea0p-55};
template <>
inline constexpr Constant erfc_at_middle<float> = {0x1.46e80ep+0, 0x1.883a4p-27};

/// Computes erfc(x) for 1/2 <= x < 28, given x^2.
template <class V>
[[gnu::always_inline]] inline V far_erfc(const Pair<V>& x, const Pair<V>& square) {
  using T = Element<V>;
  const V middle = constant<V>(sizeof(T) == 4 ? 2 : 3), one = constant<V>(1);
  const V over = x.value - middle, under = x.value + middle;
  V q = quotient(over, under);
  if constexpr (sizeof(T) == 8) {  // adds the rounding errors of the sums, divided by x + middle =
                                   // 2 middle / (1 - q)
    const V missing = fma(neg(q), x.value - (under - middle), x.value - (over + middle));
    q = fma((one - q) * constant<V>(1.0 / 6), missing, q);
  }
  Pair<V> above = exact_sum(constant<V>(erfc_at_middle<T>.value), q * polynomial(q, erfc_terms<T>));
  above.rest = above.rest + constant<V>(erfc_at_middle<T>.rest);
  Pair<V> below = exact_sum(x.value + x.value, one);
  below.rest = below.rest + (x.rest + x.rest);
  const V inverse = quotient(one, below.value), y = above.value * inverse, minus_y = neg(y);
  const V rest = fma(minus_y, below.rest, fma(minus_y, below.value, above.value) + above.rest);
  const auto [k, e] = ExpOfPair<V>({neg(square.value), neg(square.rest)});
  return scaled(fma(e.value, y, fma(e.value, rest * inverse, e.rest * y)), k);
}
/// Computes erf(x) - c x for |x| <= 1/2, where c is 2 / sqrt(pi) rounded to the type of x.
template <class V>
[[gnu::always_inline]] inline V bend_of_erf(const V& x) {
  const V t = x * x;
  return x * fma(t, polynomial(t, erf_terms<Element<V>>), rest_of<V>(two_over_sqrt_pi));
}
/// Computes erfc(x). `square` must be x^2 if 1/2 <= |x| < 28.
template <class V>
[[gnu::always_inline]] inline V erfc_of_pair(const Pair<V>& x, const Pair<V>& square) {
  const V half = constant<V>(0.5), one = constant<V>(1), size = abs(x.value);
  const auto [line, line_rest] = exact_product(x.value, neg(value_of<V>(two_over_sqrt_pi)));
  const auto [most, rest] = exact_sum(one, line);
  const V density =
      fma(x.value, x.value, neg(one)) * value_of<V>(two_over_sqrt_pi);  // an approximation
  const V near = most + (rest + (fma(density, x.rest, line_rest) - bend_of_erf(x.value)));
  const V held = max(half, min(constant<V>(28), size));
  const V far = far_erfc({held, flipped(x.rest, x.value)}, square);
  return select(size < half, near, select(x.value < constant<V>(0), constant<V>(2) - far, far));
}

template <class V>
[[gnu::always_inline]] inline V erf(const V& x) {
  const V size = abs(x), half = constant<V>(0.5), held = bounded(size, 0.5, 6);
  const V near = fma(size, value_of<V>(two_over_sqrt_pi), bend_of_erf(size));
  const V far = far_erfc({held, constant<V>(0)}, exact_product(held, held));
  return flipped(select(size < half, near, constant<V>(1) - far), x);
}
/// Computes 1 - erf(x).
template <class V>
[[gnu::always_inline]] inline V erfc(const V& x) {
  const V held = bounded(x, -6, sizeof(Element<V>) == 4 ? 10.5 : 27.5);
  return erfc_of_pair({held, constant<V>(0)}, exact_product(held, held));
}
/// Computes the cumulative normal distribution, Phi(x) = erfc(-x / sqrt(2)) / 2.
template <class V>
[[gnu::always_inline]] inline V normal_cdf(const V& x) {
  const V half = constant<V>(0.5), held = bounded(x, sizeof(Element<V>) == 4 ? -14.5 : -38.7, 9);
  const Pair<V> scale{neg(value_of<V>(sqrt_half)), neg(rest_of<V>(sqrt_half))};
  return half *
         erfc_of_pair(Pair<V>{held, constant<V>(0)} * scale, exact_product(half * held, held));
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
