#pragma once
// The gates of GELU and SiLU: y = x gate(x). `slope(x, p)` is the derivative of a gate, where p =
// gate(x). `far` is the largest |x| for which a gate may be evaluated; beyond `far`, the gate
// rounds to 0 or 1, or x times the gate rounds to 0. Errors are a few units in the last place.
// In PhiByTanh they grow for x below -1, to 150 units at x = -10; float results below 3e-38 may be
// 0.
#include "error_functions.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

struct PhiByErf {
  template <class T>
  static constexpr double far = 40;
  static constexpr double a = 0.70710678118654752, b = 0.39894228040143268;  // 1 / sqrt(2), (2 pi)
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
    return kernel::normal_cdf(x);
  }
  template <class V>
  [[gnu::always_inline]] V slope(const V& x, const V&) const {
    return kernel::exp(x * x * kernel::constant<V>(-0.5)) * kernel::constant<V>(b);
  }
};

/// Phi by the tanh approximation: (1 + tanh(u)) / 2 = sigmoid(2 u), 2 u = a x + b x^3.
struct PhiByTanh {
  template <class T>
  static constexpr double far = sizeof(T) == 4 ? 12.5 : 26;
  static constexpr double a = 2 * 0.79788456080286536, b = a * 0.044715;  // 2 sqrt(2 / pi)
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
    const V first = kernel::constant<V>(-a * kernel::log2_e), one = kernel::constant<V>(1);
    const V third = kernel::constant<V>(-b * kernel::log2_e);
    return kernel::quotient(one, one + kernel::exp2_within(x * kernel::fma(x * x, third, first)));
  }
  template <class V>
  [[gnu::always_inline]] V slope(const V& x, const V& p) const {
    const V first = kernel::constant<V>(a), third = kernel::constant<V>(3 * b);
    return p * (kernel::constant<V>(1) - p) * kernel::fma(x * x, third, first);
  }
};

struct Logistic {
  template <class T>
  static constexpr double far = 1e4;
  template <class V>
  [[gnu::always_inline]] V operator()(const V& x) const {
    const V one = kernel::constant<V>(1);
    return kernel::quotient(one, one + kernel::exp(kernel::neg(x)));
  }
  template <class V>
  [[gnu::always_inline]] V slope(const V&, const V& p) const {
    return p * (kernel::constant<V>(1) - p);
  }
};

/// Computes x gate(x). Replaces x below -far by -far, because minus infinity times gate = 0 would
/// be NaN.
template <class Gate, class V>
[[gnu::always_inline]] inline V gated(const V& x) {
  constexpr double far = Gate::template far<Element<V>>;
  return bounded(x, -far, std::numeric_limits<double>::infinity()) * Gate()(bounded(x, -far, far));
}
/// Computes dy times the derivative of x gate(x).
template <class Gate, class V>
[[gnu::always_inline]] inline V gate_backward(const V& dy, const V& x) {
  constexpr double far = Gate::template far<Element<V>>;
  const V clamped = bounded(x, -far, far), p = Gate()(clamped);
  return dy * kernel::fma(clamped, Gate().slope(clamped, p), p);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
