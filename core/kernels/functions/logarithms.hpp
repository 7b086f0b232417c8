#pragma once
// The natural logarithm and powers. A power is computed as an exponential from a logarithm with
// twice the precision.
#include "exponentials.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

constexpr Constant two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};

/// Coefficients of (2 atanh(s) - 2 s) / s^3 in t = s^2, s = (m - 1) / (m + 1), sqrt(1/2) <= m <=
/// sqrt(2). The comment in a list is the relative error.
template <class T>
constexpr int log_terms = 0;
template <>
inline constexpr std::array log_terms<float>{// 2^-30.2
                                             0x1.31e1d2p-2f, 0x1.995eccp-2f, 0x1.55557ap-1f};
template <>
inline constexpr std::array log_terms<double>{
    // 2^-59.5
    0x1.2f0ec4c54c2dep-3, 0x1.39a0d3e5514bdp-3, 0x1.74664791dab31p-3, 0x1.c71c51e06b04ap-3,
    0x1.24924942224b2p-2, 0x1.999999997fa49p-2, 0x1.5555555555593p-1};
/// Coefficients of ((2 atanh(s) - 2 s) / s^3 - 2/3) / t. The constant term 2/3 is separate for
/// accuracy.
inline constexpr std::array log_pair_terms{
    // 2^-73.5
    0x1.eabd7e688a545p-4, 0x1.de3e813a20174p-4, 0x1.112068133590cp-3, 0x1.3b1364fa1841cp-3,
    0x1.745d1828a1486p-3, 0x1.c71c71c597e66p-3, 0x1.2492492492f49p-2, 0x1.9999999999996p-2};

/// Returns y, which must be log(x), if x is positive and finite. Otherwise returns minus infinity
/// for 0, infinity for infinity, and NaN for negative x or NaN.
template <class V>
[[gnu::always_inline]] inline V log_anywhere(const V& x, const V& y) {
  const V infinity(Limits<V>::infinity()), zero = constant<V>(0);
  const V below = select(x == zero, neg(infinity), V(Limits<V>::quiet_NaN()));
  return select(x > zero, select(x < infinity, y, x), below);
}

/// The terms of log(x) for a finite x > 0. Their sum is most - (square - s * series) + rest.
template <class V>
struct LogTerms {
  V most, square, s, series, rest;

  [[gnu::always_inline]] explicit LogTerms(const V& x) {
    const Split<V> parts(x);
    const V k = parts.exponent, f = parts.mantissa - constant<V>(1);
    s = quotient(f, f + constant<V>(2));
    const V t = s * s;
    square = constant<V>(0.5) * f * f;
    series = fma(t, polynomial(t, log_terms<Element<V>>), square);  // log(1 + f) is f - square +
    most = fma(k, value_of<V>(ln_2), f);                            // s series
    rest = fma(k, rest_of<V>(ln_2), fma(k, value_of<V>(ln_2), neg(most)) + f);
  }
  /// Returns the sum of the terms, where `small` replaces `rest`.
  [[gnu::always_inline]] V sum(const V& small) const {
    return most - (square - fma(s, series, small));
  }
};

/// Computes log(x): minus infinity for 0 and -0, NaN for x < 0.
template <class V>
[[gnu::always_inline]] inline V log(const V& x) {
  const LogTerms<V> terms(x);
  return log_anywhere(x, terms.sum(terms.rest));
}

/// Computes log(1 + x): minus infinity for -1, NaN for x < -1. Corrects the rounding error of 1 + x
/// with the derivative of the logarithm, like FreeBSD's log1p.
template <class V>
[[gnu::always_inline]] inline V log1p(const V& x) {
  const V one = constant<V>(1), sum = one + x, part = sum - one;
  const V missing = (one - (sum - part)) + (x - part);  // the exact rounding error of the sum
  const LogTerms<V> terms(sum);
  const V y = log_anywhere(sum, terms.sum(terms.rest + quotient(missing, sum)));
  return select(x == constant<V>(0), x, y);
}

/// Computes log(1 + e^x) to two units in the last place. Far below 0 this is e^x, far above 0 it is
/// x.
template <class V>
[[gnu::always_inline]] inline V softplus(const V& x) {
  return max(constant<V>(0), x) + kernel::log1p(kernel::exp(neg(abs(x))));
}

/// Computes the logarithm of a finite x > 0 with a relative error of 2^-65.
template <class V>
[[gnu::always_inline]] inline Pair<V> log_pair(const V& x) {
  const Split<V> parts(x);
  const V k = parts.exponent, two = constant<V>(2), f = parts.mantissa - constant<V>(1);
  const auto [sum, sum_rest] = exact_sum(two, f);
  Pair<V> s{quotient(f, sum), two};
  s.rest = quotient(fma(neg(s.value), sum, f) - s.value * sum_rest, sum);
  const Pair<V> t = s * s;
  const Pair<V> more = t * Pair<V>{polynomial(t.value, log_pair_terms), constant<V>(0)};
  Pair<V> series = exact_sum(value_of<V>(two_thirds), more.value);
  series.rest = series.rest + (rest_of<V>(two_thirds) + more.rest);
  const Pair<V> cube = t * series * s;
  const Pair<V> low = exact_sum(two * s.value, cube.value);
  const Pair<V> high = exact_product(k, value_of<V>(ln_2));
  const Pair<V> log = exact_sum(high.value, low.value);
  return {log.value, log.rest + fma(k, rest_of<V>(ln_2), high.rest) +
                         (low.rest + fma(two, s.rest, cube.rest))};
}

/// Computes x^y with the special cases of C99, annex F. Returns 1 if x is 1 or y is 0, even if the
/// other argument is NaN. Returns NaN if x < 0 is finite and y isn't an integer.
template <class V>
[[gnu::always_inline]] inline V pow(const V& x, const V& y) {
  if constexpr (sizeof(Element<V>) == 4) {
    return in_double([](const auto& a, const auto& b) { return kernel::pow(a, b); }, x, y);
  } else {
    const V zero = constant<V>(0), one = constant<V>(1), size = abs(x);
    const V infinity(Limits<V>::infinity());
    const Pair<V> log = log_pair(size);
    const Pair<V> product = exact_product(y, log_anywhere(size, log.value));
    const V value = bounded(product.value, -746, 710);
    const V rest = select(value == product.value, fma(y, log.rest, product.rest), zero);
    const auto [k, e] = ExpOfPair<V>({value, rest});
    V power = scaled(e.value + e.rest, k);
    power = select(size == one, select(y == y, one, y), power);
    const V sign = copysign(one, x), half = constant<V>(0.5) * y;
    const auto whole = nearest(y) == y, odd = whole && !(nearest(half) == half);
    power = select(sign < zero && odd, neg(power), power);
    power = select(x < zero && size < infinity && !whole, V(Limits<V>::quiet_NaN()), power);
    return select(x == one || y == zero, one, power);
  }
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
