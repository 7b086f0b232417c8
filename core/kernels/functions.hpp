#pragma once
// Elementary functions of a register of floats or doubles, or of one: the same steps, and bits, for
// all. Each is right over the whole range of its arguments and for infinities, zeros and NaN, to
// less than one unit in the last place; bench/accuracy.cpp measures it. The names are those of the
// C library: write kernel::exp(x).
//
// Arguments are reduced as by Cody and Waite, Software Manual for the Elementary Functions; huge
// angles as by Payne and Hanek, SIGNUM Newsletter 18 (1983). What is added to a number to make up
// for its rounding is called its rest; sums and products with one are Dekker's, see Muller,
// Elementary Functions, chapter 2. Coefficients, from the highest degree on, are printed by
// bench/minimax.py; beside them stands the largest error, relative to the function.
#include "numbers.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// A constant to twice the precision of double: its value in V, and the rest.
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
constexpr Constant ln_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Constant two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
constexpr Constant two_over_sqrt_pi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr Constant sqrt_half{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
constexpr Constant half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double half_pi_third = -0x1.f1976b7ed8fbcp-110, two_over_pi = 0x1.45f306dc9c883p-1;
constexpr double log2_e = 0x1.71547652b82fep+0;

// ---- exponentials

/// (e^r - 1 - r) / r^2, |r| <= ln(2) / 2.
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

/// x = k ln(2) + r with an integer k and |r| <= ln(2) / 2.
template <class V>
struct Reduced {
  V k, r;
  [[gnu::always_inline]] explicit Reduced(const V& x) {
    k = fma(x, constant<V>(log2_e), rounder<V>()) - rounder<V>();
    r = fma(k, neg(rest_of<V>(ln_2)), fma(k, neg(value_of<V>(ln_2)), x));
  }
};
/// e^r, e^r - 1 and e^r - 1 - r, |r| <= ln(2) / 2.
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
  constexpr bool narrow = sizeof(Element<V>) == 4;  // beyond the bounds it is 0 or infinite
  const auto [k, r] = Reduced<V>(bounded(x, narrow ? -104 : -746, narrow ? 89 : 710));
  return scaled(near_exp(r), k);
}

/// (2^r - 1) / r, |r| <= 1/2.
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

/// 2^x, |x| < 250 in float, 2000 in double.
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

/// 2^k e, the exponential of a pair whose value is one that exp doesn't take to 0 or infinity.
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

/// 1 / (1 + e^-x).
template <class V>
[[gnu::always_inline]] inline V logistic(const V& x) {
  constexpr bool narrow = sizeof(Element<V>) == 4;
  const auto [k, minus_r] = Reduced<V>(bounded(x, narrow ? -104 : -746, narrow ? 17.5 : 37.5));
  // It is 2^k / s, s = 2^k + e^r, to which a smaller power of two than this adds nothing.
  const V one = constant<V>(1), power = power_of_2(max(constant<V>(-64), k));
  const V r = neg(minus_r), curve = curve_of_exp(r);
  const V s = (power + one) + (r + curve), rest = (((one - s) + power) + r) + curve;
  const V y = quotient(one, s), minus_y = neg(y);
  return scaled(fma(fma(minus_y, rest, fma(minus_y, s, one)), y, y), k);
}

/// (tanh(x) / x - 1) / t, t = x^2 <= 1.
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
  // 1 - 2 / (e^2x + 1), which is 1 beyond the bound.
  const auto [k, r] = Reduced<V>(min(constant<V>(sizeof(Element<V>) == 4 ? 20 : 40), size + size));
  const V power = power_of_2(k), e_and_1 = fma(power, near_expm1(r), power + one);
  return flipped(select(size < one, near, one - quotient(constant<V>(2), e_and_1)), x);
}

// ---- logarithms and powers

/// (2 atanh(s) - 2 s) / s^3, t = s^2, s = (m - 1) / (m + 1), sqrt(1/2) <= m <= sqrt(2).
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
/// The same without its first term, 2/3, divided by t.
inline constexpr std::array log_pair_terms{
    // 2^-73.5
    0x1.eabd7e688a545p-4, 0x1.de3e813a20174p-4, 0x1.112068133590cp-3, 0x1.3b1364fa1841cp-3,
    0x1.745d1828a1486p-3, 0x1.c71c71c597e66p-3, 0x1.2492492492f49p-2, 0x1.9999999999996p-2};

/// y, the logarithm of a finite x > 0, with that of all others.
template <class V>
[[gnu::always_inline]] inline V log_anywhere(const V& x, const V& y) {
  const V infinity(Limits<V>::infinity()), zero = constant<V>(0);
  const V below = select(x == zero, neg(infinity), V(Limits<V>::quiet_NaN()));
  return select(x > zero, select(x < infinity, y, x), below);
}

/// log(x): minus infinity at both zeros, NaN below.
template <class V>
[[gnu::always_inline]] inline V log(const V& x) {
  const Split<V> parts(x);
  const V k = parts.exponent, f = parts.mantissa - constant<V>(1),
          s = quotient(f, f + constant<V>(2));
  const V t = s * s, square = constant<V>(0.5) * f * f;
  const V series = fma(t, polynomial(t, log_terms<Element<V>>), square);  // log(1 + f) is f -
  const V most = fma(k, value_of<V>(ln_2), f);                            // square + s series
  const V rest = fma(k, rest_of<V>(ln_2), fma(k, value_of<V>(ln_2), neg(most)) + f);
  return log_anywhere(x, most - (square - fma(s, series, rest)));
}

/// The logarithm of a finite x > 0 to 2^-65.
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

/// x^y, with the special cases of C99's annex F: 1 where x is 1 or y is 0, NaN or not; NaN where x
/// < 0 is finite and y no integer.
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

// ---- error functions

/// (erf(x) / x - 2 / sqrt(pi)) / t, t = x^2 <= 1/4.
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
/// (1 + 2 x) e^(x^2) erfc(x), q = (x - middle) / (x + middle), x >= 1/2, and the rest of the last.
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

/// erfc(x), 1/2 <= x < 28, given x^2.
template <class V>
[[gnu::always_inline]] inline V far_erfc(const Pair<V>& x, const Pair<V>& square) {
  using T = Element<V>;
  const V middle = constant<V>(sizeof(T) == 4 ? 2 : 3), one = constant<V>(1);
  const V over = x.value - middle, under = x.value + middle;
  V q = quotient(over, under);
  if constexpr (sizeof(T) == 8) {  // the sums' rests, divided by x + middle = 2 middle / (1 - q)
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
/// erf(x) - x 2 / sqrt(pi), |x| <= 1/2, where the factor of x is rounded to V.
template <class V>
[[gnu::always_inline]] inline V bend_of_erf(const V& x) {
  const V t = x * x;
  return x * fma(t, polynomial(t, erf_terms<Element<V>>), rest_of<V>(two_over_sqrt_pi));
}
/// erfc(x), given x^2 of an |x| between 1/2 and 28.
template <class V>
[[gnu::always_inline]] inline V erfc_of_pair(const Pair<V>& x, const Pair<V>& square) {
  const V half = constant<V>(0.5), one = constant<V>(1), size = abs(x.value);
  const auto [line, line_rest] = exact_product(x.value, neg(value_of<V>(two_over_sqrt_pi)));
  const auto [most, rest] = exact_sum(one, line);
  const V density = fma(x.value, x.value, neg(one)) * value_of<V>(two_over_sqrt_pi);  // about
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
/// 1 - erf(x).
template <class V>
[[gnu::always_inline]] inline V erfc(const V& x) {
  const V held = bounded(x, -6, sizeof(Element<V>) == 4 ? 10.5 : 27.5);
  return erfc_of_pair({held, constant<V>(0)}, exact_product(held, held));
}
/// The normal distribution's Phi(x) = erfc(-x / sqrt(2)) / 2.
template <class V>
[[gnu::always_inline]] inline V normal_cdf(const V& x) {
  const V half = constant<V>(0.5), held = bounded(x, sizeof(Element<V>) == 4 ? -14.5 : -38.7, 9);
  const Pair<V> scale{neg(value_of<V>(sqrt_half)), neg(rest_of<V>(sqrt_half))};
  return half *
         erfc_of_pair(Pair<V>{held, constant<V>(0)} * scale, exact_product(half * held, held));
}

// ---- sine and cosine

/// (sin(r) / r - 1) / t, t = r^2, |r| <= pi/4.
inline constexpr std::array sin_terms{// 2^-57.9
                                      0x1.5d8e327cc748cp-33, -0x1.ae5e5457b33a9p-26,
                                      0x1.71de355ecb5b5p-19, -0x1.a01a019bf1c66p-13,
                                      0x1.111111110f75ap-7,  -0x1.5555555555548p-3};
/// (cos(r) - 1 + t/2) / t^2.
inline constexpr std::array cos_terms{// 2^-64.0
                                      -0x1.8fa6d1939bf7ep-37, 0x1.1ee9dc617eda6p-29,
                                      -0x1.27e4f7f25aa11p-22, 0x1.a01a019c900fap-16,
                                      -0x1.6c16c16c1501bp-10, 0x1.555555555554bp-5};

/// x = (n + 4 i) pi/2 + r, n an integer, |r| <= pi/4.
template <class V>
struct Angle {
  V n;
  Pair<V> r;
};
/// For a scalar beyond 1 in size, by the bits of 2 / pi that matter to its last four quadrants.
[[gnu::noinline]] inline Angle<double> huge_angle(double x) {
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t digits[] = {0,  // bits before the point
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
  // m 2^exponent 2 / pi modulo 4: two bits of n and 190 of a fraction, of which the last is in
  // doubt.
  const int first = exponent + 62, at = first / 64, shift = first % 64;
  const auto window = [&](int i) {
    const std::uint64_t high = digits[at + i] << shift;
    return shift ? high | digits[at + i + 1] >> (64 - shift) : high;
  };
  const Wide low = Wide{m} * window(2), middle = Wide{m} * window(1) + (low >> 64);
  const Wide top = (Wide{m * window(0)} << 64) + middle;
  const int n = static_cast<int>((top >> 125) + 1) >> 1;  // to the nearest
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
/// The sine of x + quarters pi/2.
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

/// sin(x) and cos(x) of any angle: NaN if it is infinite.
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
