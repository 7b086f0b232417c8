#pragma once
// e^x, 2^x, the logistic function and tanh. The argument reduction is by Cody and Waite, Software
// Manual for the Elementary Functions.
#include "numbers.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

constexpr Constant ln_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr double log2_e = 0x1.71547652b82fep+0;

/// Coefficients of (e^r - 1 - r) / r^2 in r, |r| <= ln(2) / 2. The comment in a list is the
/// relative error.
template <class T>
constexpr int exp_terms = 0;
template <>
inline constexpr std::array exp_terms<float>{
    // 2^-28.3
    0x1.6a4b8p-10f, 0x1.12397p-7f, 0x1.5558b2p-5f, 0x1.555492p-3f, 0x1.fffffcp-2f};
template <>
inline constexpr std::array exp_terms<double>{
    // 2^-57.9
    0x1.adaa6ea6705d3p-26, 0x1.28ae09e273e0cp-22, 0x1.71df09f634ae6p-19, 0x1.a019995118bb5p-16,
    0x1.a01a0136aea4ep-13, 0x1.6c16c1847bd1ep-10, 0x1.111111112572dp-7,  0x1.55555555506abp-5,
    0x1.5555555555503p-3,  0x1.000000000000ap-1};

/// A reduced argument: x = k ln(2) + r with an integer k and |r| <= ln(2) / 2.
template <class V>
struct Reduced {
  V k, r;
  [[gnu::always_inline]] explicit Reduced(const V& x) {
    k = fma(x, constant<V>(log2_e), rounder<V>()) - rounder<V>();
    r = fma(k, neg(rest_of<V>(ln_2)), fma(k, neg(value_of<V>(ln_2)), x));
  }
};
/// Compute e^r, e^r - 1 and e^r - 1 - r for |r| <= ln(2) / 2.
template <class V>
[[gnu::always_inline]] inline V near_exp(const V& r) {
  const V one = constant<V>(1);
  return fma(fma(polynomial(r, exp_terms<Element<V>>), r, one), r, one);
}
template <class V>
[[gnu::always_inline]] inline V near_expm1(const V& r) {
  return fma(r * r, polynomial(r, exp_terms<Element<V>>), r);
}
template <class V>
[[gnu::always_inline]] inline V curve_of_exp(const V& r) {
  return r * r * polynomial(r, exp_terms<Element<V>>);
}

template <class V>
[[gnu::always_inline]] inline V exp(const V& x) {
  constexpr bool narrow = sizeof(Element<V>) == 4;  // beyond these bounds e^x is 0 or infinity
  const auto [k, r] = Reduced<V>(bounded(x, narrow ? -104 : -746, narrow ? 89 : 710));
  return scaled(near_exp(r), k);
}

/// Coefficients of (2^r - 1) / r in r, |r| <= 1/2.
template <class T>
constexpr int exp2_terms = 0;
template <>
inline constexpr std::array exp2_terms<float>{
    // 2^-27.9
    0x1.3ec3bp-13f, 0x1.5f0c9ap-10f, 0x1.3b31fap-7f, 0x1.c6af74p-5f, 0x1.ebfbd6p-3f, 0x1.62e43p-1f};
template <>
inline constexpr std::array exp2_terms<double>{
    // 2^-57.4
    0x1.e955cd040913ap-32, 0x1.e61afba2e6c62p-28, 0x1.b525352bc5592p-24, 0x1.62bfc7d3449a2p-20,
    0x1.ffcbfc5e70f68p-17, 0x1.4309130ec046dp-13, 0x1.5d87fe78a0016p-10, 0x1.3b2ab6fba01acp-7,
    0x1.c6b08d704a127p-5,  0x1.ebfbdff82c5a4p-3,  0x1.62e42fefa39efp-1};

/// Computes 2^x for |x| < 250 in float, 2000 in double.
template <class V>
[[gnu::always_inline]] inline V exp2_within(const V& x) {
  const V k = small_nearest(x), r = x - k;
  return scaled(fma(polynomial(r, exp2_terms<Element<V>>), r, constant<V>(1)), k);
}
template <class V>
[[gnu::always_inline]] inline V exp2(const V& x) {
  constexpr bool narrow = sizeof(Element<V>) == 4;
  return exp2_within(bounded(x, narrow ? -151 : -1076, narrow ? 129 : 1025));
}

/// The exponential of a pair x, as 2^k e. x.value must be in the range where exp is neither 0 nor
/// infinite.
template <class V>
struct ExpOfPair {
  V k;
  Pair<V> e;

  [[gnu::always_inline]] explicit ExpOfPair(const Pair<V>& x) {
    k = fma(x.value, constant<V>(log2_e), rounder<V>()) - rounder<V>();
    const V most = fma(k, neg(value_of<V>(ln_2)), x.value);  // exact
    const auto [r, rest] = exact_sum(most, fma(k, neg(rest_of<V>(ln_2)), x.rest));
    e = exact_sum(constant<V>(1), r);
    e.rest = e.rest + (curve_of_exp(r) + fma(r, rest, rest));
  }
};

/// Computes 1 / (1 + e^-x).
template <class V>
[[gnu::always_inline]] inline V logistic(const V& x) {
  constexpr bool narrow = sizeof(Element<V>) == 4;
  const auto [k, minus_r] = Reduced<V>(bounded(x, narrow ? -104 : -746, narrow ? 17.5 : 37.5));
  // The result is 2^k / s, where 2^k e^r = e^x and s = 2^k + e^r. In s, 2^k can be limited to 2^-64
  // without changing s.
  const V one = constant<V>(1), power = power_of_2(max(constant<V>(-64), k));
  const V r = neg(minus_r), curve = curve_of_exp(r);
  const V s = (power + one) + (r + curve), rest = (((one - s) + power) + r) + curve;
  const V y = quotient(one, s), minus_y = neg(y);
  return scaled(fma(fma(minus_y, rest, fma(minus_y, s, one)), y, y), k);
}

/// Coefficients of (tanh(x) / x - 1) / t in t = x^2 <= 1.
template <class T>
constexpr int tanh_terms = 0;
template <>
inline constexpr std::array tanh_terms<float>{// 2^-27.7
                                              -0x1.77de48p-12f, 0x1.2da644p-9f,  -0x1.046196p-7f,
                                              0x1.600a06p-6f,   -0x1.b96242p-5f, 0x1.110be4p-3f,
                                              -0x1.55553cp-2f};
template <>
inline constexpr std::array tanh_terms<double>{
    // 2^-59.8
    0x1.6defc3350fc5bp-26, -0x1.f447cd11b585dp-23, 0x1.55353b5af1928p-20, -0x1.3f4503fe71b20p-18,
    0x1.df2136b7b9d47p-17, -0x1.3f4c7a3c137b8p-15, 0x1.939bbeb56a801p-14, -0x1.f4deae76d7655p-13,
    0x1.354b4c2aebf0ap-11, -0x1.7da1da9da534cp-10, 0x1.d6d3aede56f81p-9,  -0x1.226e345922f90p-7,
    0x1.664f487877dbep-6,  -0x1.ba1ba1b9dd9e6p-5,  0x1.1111111110b23p-3,  -0x1.555555555554fp-2};

template <class V>
[[gnu::always_inline]] inline V tanh(const V& x) {
  const V size = abs(x), one = constant<V>(1), t = x * x;
  const V near = fma(size * t, polynomial(t, tanh_terms<Element<V>>), size);
  // tanh(x) = 1 - 2 / (e^2x + 1). Above the bound this rounds to 1.
  const auto [k, r] = Reduced<V>(min(constant<V>(sizeof(Element<V>) == 4 ? 20 : 40), size + size));
  const V power = power_of_2(k), e_and_1 = fma(power, near_expm1(r), power + one);
  return flipped(select(size < one, near, one - quotient(constant<V>(2), e_and_1)), x);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
