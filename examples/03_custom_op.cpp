// Custom ops: an xtensor expression for the value and a backward function, checked with finite
// differences.
#include <tapehead/core/custom_op.hpp>
#include <tapehead/tapehead.hpp>

#include <cmath>
#include <xtensor-blas/xlinalg.hpp>

#include "expect.hpp"

using namespace tapehead;

/// Computes log(cosh(x)), a smooth |x|, without overflow. Its derivative is tanh(x).
Tensor log_cosh(const Tensor& x) {
  const auto f = [](const auto& a) {
    return xt::abs(a) + xt::log1p(xt::exp(-2 * xt::abs(a))) - std::log(2);
  };
  return op("log_cosh", x, f, [=](const Tensor& dy) { return dy * tanh(x); });
}

/// Computes the same with two mistakes: cosh can overflow, and the backward function uses y instead
/// of x.
Tensor wrong_log_cosh(const Tensor& x) {
  const auto f = [](const auto& a) { return xt::log(xt::cosh(a)); };
  return op("wrong_log_cosh", x, f, [](const Tensor& dy, const Tensor& y) { return dy * tanh(y); });
}

/// Computes sqrt(a^2 + b^2) with broadcasting.
Tensor hypot(const Tensor& a, const Tensor& b) {
  const auto f = [](const auto& x, const auto& y) { return xt::hypot(x, y); };
  return op("hypot", {a, b}, f, [=](const Tensor& dy, const Tensor& y) {
    return Grads{dy * a / y, dy * b / y};
  });
}

/// Solves a y = b with LAPACK: a (n, n), b (n, m) -> y (n, m). Its backward function solves with
/// the transposed a.
Tensor solve(const Tensor& a, const Tensor& b) {
  const auto f = [](const auto& m, const auto& v) { return xt::linalg::solve(m, v); };
  return op("solve", {a, b}, f, [=](const Tensor& dy, const Tensor& y) {
    const Tensor db = solve(transpose(a), dy);
    return Grads{-matmul(db, transpose(y)), db};
  });
}

/// Checks first- and second-order gradients in f64, and that f32 gives nearly the same numbers.
bool passes(const char* name, const Function& f, const std::vector<Tensor>& inputs) {
  const GradcheckResult once = gradcheck(f, inputs), twice = gradcheck_second(f, inputs);
  fmt::print("{}, once:   {}\n{}, twice:  {}\n", name, to_string(once), name, to_string(twice));
  std::vector<Tensor> narrow;
  for (const Tensor& x : inputs) narrow.push_back(cast(x, DType::f32));
  const Tensor difference = cast(f(narrow), DType::f64) - f(inputs);
  return once.passed && twice.passed && amax(abs(difference)).item() < 1e-5;
}

int main() {
  const auto drawn = [](const Shape& shape, std::uint64_t seed) {
    return random_normal(shape, RandomKey{seed}, DType::f64);
  };
  const Tensor x = drawn({3, 4}, 1), row = drawn({4}, 2);
  const Tensor matrix = drawn({3, 3}, 3) + 3.0 * one_hot(arange(3), 3, DType::f64);

  expect(passes("log_cosh", [](const auto& in) { return log_cosh(in[0]); }, {x}),
         "log_cosh: its gradient and second derivative agree with finite differences");
  expect(passes("hypot", [](const auto& in) { return hypot(in[0], in[1]); }, {x, row}),
         "hypot: the same holds for two tensors, one of them broadcast");
  expect(passes("solve", [](const auto& in) { return solve(in[0], in[1]); }, {matrix, x}),
         "solve: and for a system of linear equations");
  const auto wrong = [](const std::vector<Tensor>& in) { return wrong_log_cosh(in[0]); };
  const GradcheckResult bad = gradcheck(wrong, {x});
  fmt::print("wrong_log_cosh:   {}\n", to_string(bad));
  expect(!bad.passed, "the mistake is found");

  const Tensor edges = log_cosh(tensor({0, 1000, -1000}, DType::f64));
  expect(std::abs(edges(0)) < 1e-15, "log_cosh(0) is 0");
  expect(edges(1) == 1000 - std::log(2) && edges(2) == edges(1), "nothing overflows");
}
