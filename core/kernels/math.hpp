#pragma once
// Functions of a register that are accurate over the whole range of their arguments, where xsimd's
// are not.
#include "simd.hpp"

#include <cmath>
#include <limits>

namespace tapehead {

/// Clamps x between two bounds. A NaN stays a NaN: a processor's max and min return their second
/// operand if either is one.
template <class T>
Vec<T> bounded(const Vec<T>& x, double low, double high) {
  const Vec<T> bottom(static_cast<T>(low)), top(static_cast<T>(high));
  return xsimd::min(top, xsimd::max(bottom, x));
}

/// Applies f, a function of the standard library, lane by lane: for functions where xsimd's is
/// inaccurate.
template <class F, class T, class... More>
Vec<T> lanewise(F f, const Vec<T>& x, const More&... more) {
  using Lanes = std::array<T, Vec<T>::size>;
  const auto spilled = [](const Vec<T>& v) {
    Lanes all;
    v.store_unaligned(all.data());
    return all;
  };
  const auto apply = [&](Lanes y, const auto&... others) {
    for (std::size_t lane = 0; lane < y.size(); ++lane) y[lane] = f(y[lane], others[lane]...);
    return Vec<T>::load_unaligned(y.data());
  };
  return apply(spilled(x), spilled(more)...);
}

/// xsimd's exp is infinite from 88.4 on, though the largest float is exp(88.7); it also underflows
/// early, and so it does for f64. There this computes exp(x / 2)^2.
template <class T>
Vec<T> exp_full_range(const Vec<T>& x) {
  const auto far = xsimd::abs(x) > Vec<T>(std::is_same_v<T, float> ? 87 : 708);
  const Vec<T> e = xsimd::exp(xsimd::select(far, x * T(0.5), x));
  return xsimd::select(far, e * e, e);
}

/// xsimd's log is wrong for denormal numbers: they are scaled up by 2^54 first.
template <class T>
Vec<T> log_full_range(const Vec<T>& x) {
  const auto tiny = x < Vec<T>(std::numeric_limits<T>::min());
  const Vec<T> log = xsimd::log(xsimd::select(tiny, x * T(1LL << 54), x));
  return xsimd::select(tiny, log - T(54 * 0.69314718055994530942), log);
}

/// xsimd's pow is exp(b log(a)): 72 units in the last place off at 10^31, and wrong at 0 and
/// infinity.
template <class T>
Vec<T> exact_pow(const Vec<T>& a, const Vec<T>& b) {
  if (xsimd::all(b == Vec<T>(2))) return a * a;  // a square and its gradient are the usual case
  if (xsimd::all(b == Vec<T>(1))) return a;
  return lanewise([](T x, T y) { return y == 2 ? x * x : std::pow(x, y); }, a, b);
}

/// xsimd's erf for f64 is 68 units in the last place off, and NaN for huge arguments.
template <class T>
Vec<T> exact_erf(const Vec<T>& x) {
  if constexpr (std::is_same_v<T, float>) return xsimd::erf(x);
  return lanewise([](T v) { return std::erf(v); }, x);
}

}  // namespace tapehead
