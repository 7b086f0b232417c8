#include "../kernels/exp.hpp"
#include "../ops.hpp"
#include "elementwise.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 1 / (1 + exp(-x)): 0 where exp(-x) is infinite.
template <class T>
Vec<T> logistic(const Vec<T>& x) {
  return Vec<T>(1) / (Vec<T>(1) + exp_of(-x));
}

// Phi(x), its slope where p = Phi(x), and how far from 0 it is exactly 0 or 1.

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
    const Vec<T> minus_2u = x * (Vec<T>(T(-a * log2e)) + x * x * T(-b * log2e));  // in base 2
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

/// x Phi(x). Phi is asked within +-far alone, so that no infinity meets its 0.
template <class Phi, class T>
Tensor gated_by(const char* op, Phi phi, const Tensor& x, T decomposition) {
  constexpr double far = Phi::far;
  Tensor y =
      map(op, x, [=](auto v) { return bounded(v, -far, infinity) * phi(bounded(v, -far, far)); });
  const auto rule = [=](Tensor dy) {
    return Grads{broadcast(op, std::move(dy), x, [=](auto d, auto v) {
      const auto held = bounded(v, -far, far);
      const auto p = phi(held);
      return d * (p + held * phi.slope(held, p));
    })};
  };
  return record(op, y, {x}, rule, decomposition);
}

}  // namespace

Tensor tanh(const Tensor& x) {
  Tensor y = map("tanh", x, [](auto v) { return xsimd::tanh(v); });
  return record("tanh", y, {x}, [=](const Tensor& dy) { return Grads{dy * (1 - y * y)}; });
}

Tensor sigmoid(const Tensor& x) {
  Tensor y = map("sigmoid", x, [](auto v) { return logistic(v); });
  return record("sigmoid", y, {x}, [=](const Tensor& dy) { return Grads{dy * y * (1 - y)}; });
}

Tensor relu(const Tensor& x) {
  Tensor y = map("relu", x, [](auto v) { return bounded(v, 0, infinity); });
  return record("relu", y, {x},
                [=](const Tensor& dy) { return Grads{masked_fill(dy, x <= 0, 0)}; });
}

Tensor silu(const Tensor& x) {
  return gated_by("silu", Logistic(), x,
                  [=] { return clamp(x, -Logistic::far, infinity) * sigmoid(x); });
}

Tensor gelu(const Tensor& x, Gelu form) {
  if (form == Gelu::erf)
    return gated_by("gelu", PhiByErf(), x, [=] { return 0.5 * x * (1 + erf(PhiByErf::a * x)); });
  return gated_by("gelu", PhiByTanh(), x, [=] {
    return 0.5 * x * (1 + tanh(PhiByTanh::a / 2 * (x + 0.044715 * x * x * x)));
  });
}

}  // namespace tapehead
