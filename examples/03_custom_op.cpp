// An op of your own: check the shapes, compute, say how gradients pass. Then have it checked.
#include <tapehead/core/array.hpp>
#include <tapehead/tapehead.hpp>

#include <cmath>

#include "expect.hpp"

using namespace tapehead;

/// softplus(x) = log(1 + exp(x)), a smooth relu; its derivative is sigmoid(x).
Tensor softplus(const Tensor& x) {
  // The value, as one xtensor expression: max(x, 0) + log(1 + exp(-|x|)) can't overflow.
  const auto value = [](const auto& a) {
    return xt::maximum(a, 0) + xt::log1p(xt::exp(-xt::abs(a)));
  };
  const Tensor y = x.dtype() == DType::f64 ? Tensor::from(value(x.array<double>()))
                                           : Tensor::from(value(x.array<float>()));
  // The rule, in ops: so it can itself be differentiated.
  return record("softplus", y, {x}, [=](const Tensor& dy) { return Grads{dy * sigmoid(x)}; });
}

/// The same with a mistake of the kind that is easily made.
Tensor wrong_softplus(const Tensor& x) {
  const Tensor y = softplus(x.detached());
  return record("wrong_softplus", y, {x}, [=](const Tensor& dy) { return Grads{dy * sigmoid(y)}; });
}

int main() {
  const Tensor x = random_normal({3, 4}, RandomKey{1}, DType::f64);
  const auto ours = [](const std::vector<Tensor>& in) { return softplus(in[0]); };
  const auto wrong = [](const std::vector<Tensor>& in) { return wrong_softplus(in[0]); };

  const GradcheckResult good = gradcheck(ours, {x}), second = gradcheck_second(ours, {x});
  const GradcheckResult bad = gradcheck(wrong, {x});
  fmt::print("softplus, once:   {}\n", to_string(good));
  fmt::print("softplus, twice:  {}\n", to_string(second));
  fmt::print("wrong_softplus:   {}\n\n", to_string(bad));

  expect(good.passed, "the gradient agrees with finite differences");
  expect(second.passed, "so does the gradient of the gradient");
  expect(!bad.passed, "the mistake is found");
  const Tensor edges = softplus(tensor({0, 1000, -1000}, DType::f64));
  expect(std::abs(edges(0) - std::log(2.0)) < 1e-15, "softplus(0) is log 2");
  expect(edges(1) == 1000 && edges(2) == 0, "nothing overflows");
}
