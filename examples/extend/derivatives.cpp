// Higher derivatives, the sharpness of a loss, and a custom gradient.
#include <tapehead/tapehead.hpp>

#include <cmath>

#include "../expect.hpp"

using namespace tapehead;

/// Returns the largest eigenvalue of the Hessian of `loss` with respect to a model's parameters, by
/// power iteration.
double sharpness(const Module& model, const Function& loss) {
  const std::vector<Tensor> x = values(parameters(model));
  Tensor v = random_normal({count_parameters(model)}, {/*seed=*/1});
  double eigenvalue = 0;
  for (int i = 0; i < 30; ++i) {
    v = v / sqrt(sum(v * v));
    const Tensor hv = flatten(hvp(loss, x, unflatten(v, x)).second);
    eigenvalue = sum(v * hv).item();
    v = hv;
  }
  return eigenvalue;
}

/// Computes log(1 + e^x). For a large x, e^x is infinite and the gradient is NaN.
Tensor overflowing(const Tensor& x) { return log(exp(x) + 1.0); }

/// Computes the same without overflow, with the gradient sigmoid(x).
Tensor stable(const Tensor& x) {
  const auto f = [](const Tensor& z) { return maximum(z, zeros({})) + log(exp(-abs(z)) + 1.0); };
  return custom_gradient(f, {x}, [=](const Tensor& dy) { return Grads{dy * sigmoid(x)}; });
}

int main() {
  // Each derivative can be differentiated again: jvp of jvp is the second derivative.
  const Tensor x = scalar(0.5, DType::f64), one = scalar(1, DType::f64);
  Function f = [](const Tensor& t) { return sin(t); };
  const double s = std::sin(0.5), c = std::cos(0.5);
  for (const double expected : {s, c, -s, -c, s}) {
    fmt::print("{:8.5f}\n", f({x}).item());
    expect(std::abs(f({x}).item() - expected) < 1e-12, "a derivative of sin is right");
    f = [=](const Tensor& t) { return jvp(f, {t}, {one}).second; };
  }

  ModelOptions options;
  options.vocabulary = 5, options.context = 4, options.layers = 1, options.width = 8;
  const GPT model(options);
  const Tensor ids = tensor({1, 2, 3, 4}, {1, 4}, DType::i32);
  const auto loss = [&](const std::vector<Tensor>&) {  // reads the parameters through the model
    Pass pass;
    return cross_entropy(model(ids, pass), ids);
  };
  const double eigenvalue = sharpness(model, loss);
  fmt::print("{} parameters, sharpness {:.3f}\n", count_parameters(model), eigenvalue);
  expect(std::abs(eigenvalue - 107.041) < 0.01, "power iteration has converged");

  const Tensor z = tensor({0, 1000});
  for (const Function& g : {Function(overflowing), Function(stable)}) {
    const auto [y, gradients] = grad([&](const Tensor& t) { return sum(g({t})); }, {z});
    fmt::print("{}, gradient {}\n", g({z}), gradients[0]);
  }
  const Grads right = grad([](const Tensor& t) { return sum(stable(t)); }, {z}).second;
  expect(right[0](0) == 0.5 && right[0](1) == 1, "the custom gradient is finite and right");
}
