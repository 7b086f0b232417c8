#pragma once
// Portable arithmetic: results are bitwise identical in every lane, in scalars, and on every
// processor. V is a Vec<T> or a T, where T is float or double. Operators +, -, *, / and comparisons
// follow IEEE 754. This file has the operations that instruction sets lack or define differently.
// Each operation rounds once and keeps denormal numbers. Only the sign and payload of NaN depend on
// the processor.
#include "../simd.hpp"
#include "fused.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class V>
struct Lanes {
  using Element = V;
  using Word [[gnu::may_alias]] = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
};
template <class T>
struct Lanes<Vec<T>> {
  using Element = T;
  using Word [[gnu::vector_size(sizeof(Vec<T>))]] = typename Lanes<T>::Word;
};
template <class V>
using Element = typename Lanes<V>::Element;
/// A vector (or scalar) of unsigned integers, as many and as wide as the elements of V. Arithmetic
/// wraps around.
template <class V>
using Word = typename Lanes<V>::Word;

template <class V>
constexpr bool is_register = !std::is_floating_point_v<V>;
template <class V>
using Limits = std::numeric_limits<Element<V>>;
template <class V>
constexpr int mantissa_bits = Limits<V>::digits - 1;  // without the leading 1
template <class V>
constexpr int exponent_of_one = Limits<V>::max_exponent - 1;

template <class V>
[[gnu::always_inline]] inline V constant(double c) {
  return V(static_cast<Element<V>>(c));
}
template <class V>
[[gnu::always_inline]] inline Word<V> word(std::uint64_t c) {
  return Word<V>{} + static_cast<typename Lanes<Element<V>>::Word>(c);
}

template <class V>
[[gnu::always_inline]] inline Word<V> bits(const V& x) {
  if constexpr (is_register<V>)
    return reinterpret_cast<Word<V>>(x.data);
  else
    return __builtin_bit_cast(Word<V>, x);
}
template <class V>
[[gnu::always_inline]] inline V from_bits(const Word<V>& w) {
  if constexpr (is_register<V>)
    return V(reinterpret_cast<decltype(V::data)>(w));
  else
    return __builtin_bit_cast(V, w);
}

/// Applies a function of scalars to each lane.
template <class F, class T, class... More>
[[gnu::always_inline]] inline Vec<T> lanewise(const F& f, const Vec<T>& x, const More&... more) {
  using All = std::array<T, Vec<T>::size>;
  const auto spilled = [](const Vec<T>& v) {
    All all;
    v.store_unaligned(all.data());
    return all;
  };
  const auto apply = [&](All y, const auto&... others) {
    for (std::size_t lane = 0; lane < y.size(); ++lane) y[lane] = f(y[lane], others[lane]...);
    return Vec<T>::load_unaligned(y.data());
  };
  return apply(spilled(x), spilled(more)...);
}

// These operations are function objects. If they were functions, argument-dependent lookup would
// find xsimd's functions instead, whose results differ between instruction sets.

/// Computes a b + c, rounded once.
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& a, const V& b, const V& c) const {
    if constexpr (!is_register<V>) {
      return fused(a, b, c);
    } else {
#if XSIMD_WITH_AVX512F  // xsimd::fma isn't always fused for AVX-512
      if constexpr (sizeof(Element<V>) == 4)
        return V(_mm512_fmadd_ps(a, b, c));
      else
        return V(_mm512_fmadd_pd(a, b, c));
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
      return xsimd::fma(a, b, c);
#elif defined(__wasm_simd128__)
      if constexpr (sizeof(Element<V>) == 4)
        return V(__m128(fma_f32x4(v128_t(a.data), v128_t(b.data), v128_t(c.data))));
      else
        return V(__m128d(fma_f64x2(v128_t(a.data), v128_t(b.data), v128_t(c.data))));
#else
      return lanewise([](auto x, auto y, auto z) { return fused(x, y, z); }, a, b, c);
#endif
    }
  }
} fma;

inline constexpr struct {
  template <class Truth, class V>
  [[gnu::always_inline]] V operator()(const Truth& condition, const V& a, const V& b) const {
    if constexpr (is_register<V>)
      return xsimd::select(condition, a, b);
    else
      return condition ? a : b;
  }
} select;

inline constexpr struct {
  template <class Truth>
  [[gnu::always_inline]] bool operator()(const Truth& condition) const {
    if constexpr (std::is_same_v<Truth, bool>)
      return condition;
    else
      return xsimd::any(condition);
  }
} any;

/// Computes a < b ? a : b, which is b if a or b is NaN, or if both are zeros.
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& a, const V& b) const {
#if XSIMD_WITH_SSE2  // the x86 instruction is defined like this
    if constexpr (is_register<V>) return xsimd::min(a, b);
#endif
    return select(a < b, a, b);
  }
} min;
/// Computes a > b ? a : b.
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& a, const V& b) const {
#if XSIMD_WITH_SSE2
    if constexpr (is_register<V>) return xsimd::max(a, b);
#endif
    return select(a > b, a, b);
  }
} max;
/// Clamps x to [low, high]. NaN stays NaN, and a zero keeps its sign even if a bound is zero.
template <class V>
[[gnu::always_inline]] inline V bounded(const V& x, double low, double high) {
  return min(constant<V>(high), max(constant<V>(low), x));
}

/// Computes a / b, rounded once. xsimd's operator / for ARM floats refines an estimate instead.
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& a, const V& b) const {
    if constexpr (is_register<V>)
      return V(a.data / b.data);
    else
      return a / b;
  }
} quotient;
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
#if XSIMD_WITH_NEON64  // xsimd::sqrt would refine an estimate
    if constexpr (std::is_same_v<V, Vec<float>>) return V(vsqrtq_f32(x));
#endif
    if constexpr (is_register<V>)
      return xsimd::sqrt(x);
    else
      return std::sqrt(x);
  }
} sqrt;

// Operations that change only the sign bit, also for zeros and NaN.
template <class V>
[[gnu::always_inline]] inline Word<V> sign_bit() {
  return word<V>(std::uint64_t{1} << (8 * sizeof(Element<V>) - 1));
}
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
    return from_bits<V>(bits(x) ^ sign_bit<V>());
  }
} neg;
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
    return from_bits<V>(bits(x) & ~sign_bit<V>());
  }
} abs;
/// Returns x, negated if `sign` is negative.
template <class V>
[[gnu::always_inline]] inline V flipped(const V& x, const V& sign) {
  return from_bits<V>(bits(x) ^ (bits(sign) & sign_bit<V>()));
}
inline constexpr struct {
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x, const V& sign) const {
    return flipped(abs(x), sign);
  }
} copysign;

/// 1.5 times 2^mantissa_bits. Adding this constant to a small number rounds the number to the
/// nearest integer, ties to even, and leaves the integer in the lowest bits of the sum.
template <class V>
constexpr double rounder_value = 1.5 / Limits<V>::epsilon();
template <class V>
[[gnu::always_inline]] inline V rounder() {
  return constant<V>(rounder_value<V>);
}
/// Rounds x, |x| < 2^(digits - 2), to the nearest integer. A result of zero may have either sign.
template <class V>
[[gnu::always_inline]] inline V small_nearest(const V& x) {
#if XSIMD_WITH_AVX512F
  if constexpr (std::is_same_v<V, Vec<float>>) return V(_mm512_roundscale_ps(x, 0));
  if constexpr (std::is_same_v<V, Vec<double>>) return V(_mm512_roundscale_pd(x, 0));
#endif
  return (x + rounder<V>()) - rounder<V>();
}
/// Rounds x to the nearest integer, ties to even. Larger numbers than 2^mantissa_bits are integers
/// already.
template <class V>
[[gnu::always_inline]] inline V nearest(const V& x) {
  const V size = abs(x), unit = constant<V>(1 / Limits<V>::epsilon());
  return select(size < unit, copysign((size + unit) - unit, x), x);
}

/// Computes x 2^k, rounded once, for an integer k, |k| < 2 exponent_of_one. x 2^(k / 2) must be
/// exact.
template <class V>
[[gnu::always_inline]] inline V scaled(const V& x, const V& k) {
#if XSIMD_WITH_AVX512F
  if constexpr (std::is_same_v<V, Vec<float>>) return V(_mm512_scalef_ps(x, k));
  if constexpr (std::is_same_v<V, Vec<double>>) return V(_mm512_scalef_pd(x, k));
#endif
  const Word<V> all = bits(k + constant<V>(rounder_value<V> + 2 * exponent_of_one<V>));
  const Word<V> half = all >> 1;  // both halves have the bias exponent_of_one
  const V first = from_bits<V>(half << mantissa_bits<V>);
  return x * first * from_bits<V>((all - half) << mantissa_bits<V>);
}

/// Computes 2^k for an integer k; 2^k must be a normal number.
template <class V>
[[gnu::always_inline]] inline V power_of_2(const V& k) {
#if XSIMD_WITH_AVX512F
  if constexpr (is_register<V>) return scaled(constant<V>(1), k);
#endif
  const V biased = k + constant<V>(rounder_value<V> + exponent_of_one<V>);
  return from_bits<V>(bits(biased) << mantissa_bits<V>);
}
/// A finite x > 0 written as mantissa 2^exponent with sqrt(1/2) <= mantissa < sqrt(2).
template <class V>
struct Split {
  V mantissa, exponent;

  [[gnu::always_inline]] explicit Split(const V& x) {
    constexpr int digits = mantissa_bits<V>;
    const auto tiny = x < V(Limits<V>::min());
    const V normal = select(tiny, x * constant<V>(2 / Limits<V>::epsilon()), x);
    const Word<V> bottom = bits(constant<V>(0.70710678118654752));
    // Adds a constant that exceeds all exponents, so that `from` is positive and an unsigned shift
    // works.
    const Word<V> from =
        bits(normal) - bottom + word<V>(std::uint64_t{2} * exponent_of_one<V> << digits);
    mantissa = from_bits<V>((from & word<V>((std::uint64_t{1} << digits) - 1)) + bottom);
    const V number = from_bits<V>((from >> digits) + bits(rounder<V>()));
    const double shift = 2 * exponent_of_one<V>;
    exponent =
        number - (rounder<V>() + select(tiny, constant<V>(shift + digits + 1), constant<V>(shift)));
  }
};

/// Applies a function of doubles to floats, and rounds the results to float.
template <class F, class V, class... More>
[[gnu::always_inline]] inline V in_double(const F& f, const V& x, const More&... more) {
  if constexpr (is_register<V>) {
    constexpr std::size_t half = Vec<double>::size;
    alignas(64) float y[2 * half];
    for (std::size_t first = 0; first < 2 * half; first += half) {
      const auto wide = [first](const V& v) {
        alignas(64) float all[2 * half];
        alignas(64) double part[half];
        v.store_aligned(all);
        for (std::size_t i = 0; i < half; ++i) part[i] = static_cast<double>(all[first + i]);
        return Vec<double>::load_aligned(part);
      };
      alignas(64) double part[half];
      f(wide(x), wide(more)...).store_aligned(part);
      for (std::size_t i = 0; i < half; ++i) y[first + i] = static_cast<float>(part[i]);
    }
    return V::load_aligned(y);
  } else {
    return static_cast<V>(f(static_cast<double>(x), static_cast<double>(more)...));
  }
}

/// Evaluates a polynomial by Horner's method. `c` begins with the highest degree.
template <class V, class T, std::size_t n, std::size_t... i>
[[gnu::always_inline]] inline V polynomial(const V& x, const std::array<T, n>& c,
                                           std::index_sequence<i...>) {
  V y(c[0]);
  ((y = fma(y, x, V(c[i + 1]))), ...);
  return y;
}
template <class V, class T, std::size_t n>
[[gnu::always_inline]] inline V polynomial(const V& x, const std::array<T, n>& c) {
  return polynomial(x, c, std::make_index_sequence<n - 1>{});
}

/// A number with twice the precision: the exact sum of value and rest. Sums and products follow
/// Dekker; see Muller, Elementary Functions, chapter 2.
template <class V>
struct Pair {
  V value, rest;
};
/// Computes a + b exactly. Requires |a| >= |b| or a == 0.
template <class V>
[[gnu::always_inline]] inline Pair<V> exact_sum(const V& a, const V& b) {
  const V sum = a + b;
  return {sum, (a - sum) + b};
}
template <class V>
[[gnu::always_inline]] inline Pair<V> exact_product(const V& a, const V& b) {
  const V product = a * b;
  return {product, fma(a, b, neg(product))};
}
/// Computes a b; neglects a.rest b.rest.
template <class V>
[[gnu::always_inline]] inline Pair<V> operator*(const Pair<V>& a, const Pair<V>& b) {
  const auto [product, rest] = exact_product(a.value, b.value);
  return {product, rest + fma(a.value, b.rest, a.rest * b.value)};
}

/// A constant with twice the precision of double.
struct Constant {
  double value, rest;
};
template <class V>
[[gnu::always_inline]] inline V value_of(Constant c) {
  return constant<V>(c.value);
}
template <class V>
[[gnu::always_inline]] inline V rest_of(Constant c) {
  const double rounded = static_cast<Element<V>>(c.value);
  return constant<V>((c.value - rounded) + c.rest);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
