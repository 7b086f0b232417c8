#include "../kernels/gates.hpp"
#include "../ops.hpp"
#include "elementwise.hpp"

namespace tapehead {
namespace {

/// x Phi(x). Phi is only evaluated within +-far, so that infinity never meets a Phi of 0.
template <class Phi, class T>
Tensor gated_by(const char* op, Phi phi, const Tensor& x, T decomposition) {
  constexpr double far = Phi::far;
  Tensor y =
      map(op, x, [=](auto v) { return bounded(v, -far, infinity) * phi(bounded(v, -far, far)); });
  const auto rule = [=](Tensor dy) {
    return Grads{broadcast(op, std::move(dy), x, [=](auto d, auto v) {
      const auto clamped = bounded(v, -far, far);
      const auto p = phi(clamped);
      return d * (p + clamped * phi.slope(clamped, p));
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
  return record("relu", y, {x}, [=](const Tensor& dy) { return Grads{passed(dy, x > 0, x)}; });
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
