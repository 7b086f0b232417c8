#include "../ops.hpp"
#include "elementwise.hpp"

namespace tapehead {
namespace {

/// x Phi(x), where Phi is a sigmoid or the normal distribution function: by a kernel, with a rule
/// that is a kernel too, and the same in primitive ops.
template <class Kernel, class RuleKernel, class Decomposition>
Tensor gated_by(const char* op, const Tensor& x, Kernel kernel, RuleKernel kernel_of_rule,
                Decomposition decomposition) {
  const auto rule = [=](Tensor dy) {
    return Grads{broadcast(op, std::move(dy), x, kernel_of_rule)};  // in dy's memory if it can
  };
  return record(op, map(op, x, kernel), {x}, rule, decomposition);
}

/// sigmoid(x), whose derivative is accurate for large x, where 1 - sigmoid(x) rounds to 0.
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
      "silu", x, [](auto& k) { return k.silu; }, [](auto& k) { return k.silu_rule; },
      // Bounded below, so that minus infinity doesn't meet a sigmoid of 0.
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
        "gelu", x, [](auto& k) { return k.gelu_erf; }, [](auto& k) { return k.gelu_erf_rule; },
        [=] { return 0.5 * x * (1 + erf(0.70710678118654752 * x)); });  // 1 / sqrt(2)
  return gated_by(
      "gelu", x, [](auto& k) { return k.gelu_tanh; }, [](auto& k) { return k.gelu_tanh_rule; },
      [=] {  // (1 + tanh z) / 2 is the sigmoid of 2 z, in three steps less
        constexpr double a = 2 * 0.79788456080286536;  // 2 sqrt(2 / pi)
        return x * sigmoid(x * (a + 0.044715 * a * x * x));
      });
}

}  // namespace tapehead
