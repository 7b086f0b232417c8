#include "../ops.hpp"
#include "elementwise.hpp"
#include "families.hpp"

namespace tapehead {
namespace {

/// Computes and records x Phi(x), where Phi is a sigmoid or the normal distribution function. The
/// arguments are a kernel for the value, a kernel for backward, and a decomposition into primitive
/// ops.
template <class Kernel, class BackwardKernel, class Decomposition>
Tensor gated_by(const OpCall& call, const Tensor& x, Kernel kernel, BackwardKernel backward_kernel,
                Decomposition decomposition) {
  const auto backward = [=, op = call.name](Tensor dy) {
    return Grads{broadcast(op, std::move(dy), x, backward_kernel)};  // overwrites dy if possible
  };
  return record(call, map(call.name, x, kernel), {x}, backward, decomposition);
}

/// Computes sigmoid(x) with a derivative that is accurate for large x. There sigmoid(x) rounds to
/// 1, so its derivative must not be computed from 1 - sigmoid(x).
Tensor sigmoid_to_differentiate(const Tensor& x) {
  Tensor y = map("sigmoid", x, [](auto& k) { return k.sigmoid; });
  return record("sigmoid", y, {x},
                [=](const Tensor& dy) { return Grads{dy * y * sigmoid(neg(x))}; });
}

}  // namespace

Tensor tanh(const Tensor& x) {
  Tensor y = map("tanh", x, [](auto& k) { return k.tanh; });
  return record("tanh", y, {x}, [=](const Tensor& dy) { return Grads{dy * (1 - y * y)}; });
}

Tensor sigmoid(const Tensor& x) {
  Tensor y = map("sigmoid", x, [](auto& k) { return k.sigmoid; });
  return record("sigmoid", y, {x}, [=](const Tensor& dy) { return Grads{dy * y * (1 - y)}; });
}

Tensor relu(const Tensor& x) {
  Tensor y = map("relu", x, [](auto& k) { return k.relu; });
  return record("relu", y, {x}, [=](const Tensor& dy) { return Grads{passed(dy, x > 0, x)}; });
}

Tensor silu(const Tensor& x) {
  return gated_by(
      "silu", x, [](auto& k) { return k.silu; }, [](auto& k) { return k.silu_backward; },
      // Limits x, because at minus infinity sigmoid(x) is 0, and x * 0 would be NaN.
      [=] { return maximum(x, scalar(-1e4, x.dtype())) * sigmoid(x); });
}

Tensor softplus(const Tensor& x) {
  Tensor y = map("softplus", x, [](auto& k) { return k.softplus; });
  return record("softplus", y, {x},
                [=](const Tensor& dy) { return Grads{dy * sigmoid_to_differentiate(x)}; });
}

Tensor gelu(const Tensor& x, Gelu form) {
  if (form == Gelu::erf)
    return gated_by(
        {"gelu", {{"form", "erf"}}}, x, [](auto& k) { return k.gelu_erf; },
        [](auto& k) { return k.gelu_erf_backward; },
        [=] { return 0.5 * x * (1 + erf(0.70710678118654752 * x)); });  // 1 / sqrt(2)
  return gated_by(
      {"gelu", {{"form", "tanh"}}}, x, [](auto& k) { return k.gelu_tanh; },
      [](auto& k) { return k.gelu_tanh_backward; },
      [=] {  // sigmoid(2 z) = (1 + tanh z) / 2, with three ops fewer
        constexpr double a = 2 * 0.79788456080286536;  // 2 sqrt(2 / pi)
        return x * sigmoid(x * (a + 0.044715 * a * x * x));
      });
}

template <>
struct EnumNames<Gelu> {
  static constexpr Choice<Gelu> all[] = {{"tanh", Gelu::tanh}, {"erf", Gelu::erf}};
};

std::vector<Op> activation_ops() {
  return {
      {"tanh", "y = tanh(x)", {"dx = dy (1 - y^2)"}, tanh, {"x"}},
      {"sigmoid", "y = 1 / (1 + exp(-x))", {"dx = dy y (1 - y)"}, sigmoid, {"x"}},
      {"relu", "y = max(x, 0)", {"dx = dy where x > 0, 0 elsewhere"}, relu, {"x"}},
      {"silu", "y = x sigmoid(x)", {"dx = dy (s + x s (1 - s)), s = sigmoid(x)"}, silu, {"x"}},
      {"softplus", "y = log(1 + exp(x))", {"dx = dy sigmoid(x)"}, softplus, {"x"}},
      {"gelu",
       "y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or (1 + tanh(sqrt(2 / pi) (x + 0.044715 "
       "x^3))) / 2",
       {"dx = dy (Phi(x) + x Phi'(x))"},
       gelu,
       {"x", {"form", "tanh"}}},
  };
}

}  // namespace tapehead
