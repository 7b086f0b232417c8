#pragma once
// The gates of GELU and SiLU: y = x gate(x).
#include "exp.hpp"
#include "math.hpp"

namespace tapehead {

/// 1 / (1 + exp(-x)): 0 where exp(-x) is infinite.
template <class T>
Vec<T> logistic(const Vec<T>& x) {
  return Vec<T>(1) / (Vec<T>(1) + exp_of(-x));
}

// Gates: Phi(x); its slope, given p = Phi(x); and the distance from 0 beyond which Phi is exactly 0
// or 1.

struct PhiByErf {
  static constexpr double far = 40;
  static constexpr double a = 0.70710678118654752, b = 0.39894228040143268;  // 1 / sqrt(2), (2 pi)
  template <class T>
  Vec<T> operator()(const Vec<T>& x) const {
    if constexpr (std::is_same_v<T, float>) return xsimd::erfc(x * T(-a)) * T(0.5);
    return lanewise([](T v) { return std::erfc(v * T(-a)) * T(0.5); }, x);  // xsimd's has 12 digits
  }
  template <class T>
  Vec<T> slope(const Vec<T>& x, const Vec<T>&) const {
    return exp_of(x * x * T(-0.5)) * T(b);
  }
};

/// (1 + tanh(u)) / 2 = sigmoid(2 u), 2 u = a x + b x^3.
struct PhiByTanh {
  static constexpr double far = 40, log2e = 1.4426950408889634;
  static constexpr double a = 2 * 0.79788456080286536, b = a * 0.044715;  // 2 sqrt(2 / pi)
  template <class T>
  Vec<T> operator()(const Vec<T>& x) const {
    const Vec<T> minus_2u = x * (Vec<T>(T(-a * log2e)) + x * x * T(-b * log2e));  // exponent of 2
    return Vec<T>(1) / (Vec<T>(1) + exp2_of(minus_2u));
  }
  template <class T>
  Vec<T> slope(const Vec<T>& x, const Vec<T>& p) const {
    return p * (Vec<T>(1) - p) * (Vec<T>(T(a)) + x * x * T(3 * b));
  }
};

struct Logistic {
  static constexpr double far = 1e4;
  template <class T>
  Vec<T> operator()(const Vec<T>& x) const {
    return logistic(x);
  }
  template <class T>
  Vec<T> slope(const Vec<T>&, const Vec<T>& p) const {
    return p * (Vec<T>(1) - p);
  }
};

}  // namespace tapehead
