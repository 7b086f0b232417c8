#include "catalog.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

// Expected numbers: mpmath with 40 digits.
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;
using Unary = Tensor (*)(const Tensor&);

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
Tensor normal(const Shape& shape, std::uint64_t seed) { return normal_sample(shape, seed); }
Tensor far_from_zero(const Shape& shape, std::uint64_t seed) { return nonzero_sample(shape, seed); }

std::function<Tensor()> f64(Unary op, const std::vector<double>& x) {
  return [=] { return op(f64(x)); };
}
std::function<Tensor()> f32(Unary op, const std::vector<double>& x) {
  return [=] { return op(tensor(x)); };
}
/// The gradient for dy = 1.
std::function<Tensor()> slope(Unary op, const std::vector<double>& x) {
  return gradient_call([=](const Inputs& in) { return op(in[0]); }, {f64(x)},
                       ones({f64(x).size()}, DType::f64));
}

std::vector<OpSample> samples(Unary op, Tensor (*x)(const Shape&, std::uint64_t)) {
  return elementwise_samples([=](const Inputs& in) { return op(in[0]); }, x);
}
std::vector<OpError> errors(const std::string& name, Unary op) {
  return {{[=] { op(zeros({2}, DType::i32)); },
           name + ": takes f32 or f64, not i32; convert with cast(x, DType::f32)"}};
}

OpRow tanh_row() {
  return {"tanh",
          "activations",
          "y = tanh(x)",
          "dx = dy (1 - y^2)",
          samples(tanh, normal),
          {
              {"numbers", f64(tanh, {0, 0.5, -2, 10}),
               f64({0, 0.46211715726000976, -0.96402758007581688, 0.99999999587769276}), 3e-16},
              {"near 0", f64(tanh, {1e-10, -1e-300}), f64({1e-10, -1e-300})},
              {"huge, infinity, NaN", f64(tanh, {1e300, -1e300, infinity, -infinity, nan}),
               f64({1, -1, 1, -1, nan})},
              {"f32", f32(tanh, {0.5, -100}), tensor({0.46211715726000976, -1}), 2e-7},
              {"its slope", slope(tanh, {0, 0.5, infinity, -1e300}),
               f64({1, 0.78644773296592741, 0, 0}), 3e-16},
          },
          errors("tanh", tanh)};
}

OpRow sigmoid_row() {
  return {"sigmoid",
          "activations",
          "y = 1 / (1 + exp(-x))",
          "dx = dy y (1 - y)",
          samples(sigmoid, normal),
          {
              {"numbers", f64(sigmoid, {0, 1, -2, 0.5}),
               f64({0.5, 0.73105857863000488, 0.11920292202211756, 0.62245933120185456}), 3e-16},
              {"far below 0", [] { return sigmoid(f64({-100})) * 1e44; }, f64({3.720075976020836}),
               1e-15},
              {"huge, infinity, NaN", f64(sigmoid, {1e300, -1e300, infinity, -infinity, nan}),
               f64({1, 0, 1, 0, nan})},
              {"f32", f32(sigmoid, {0.5, -1000, 1000}), tensor({0.62245933120185456, 0, 1}), 2e-7},
              {"its slope", slope(sigmoid, {0, infinity, -infinity, -1e300}), f64({0.25, 0, 0, 0})},
          },
          errors("sigmoid", sigmoid)};
}

OpRow relu_row() {
  return {"relu",
          "activations",
          "y = max(x, 0)",
          "dx = dy where x > 0, 0 elsewhere",
          samples(relu, far_from_zero),
          {
              {"numbers", f64(relu, {-2, 0, 3, infinity, -infinity, nan}),
               f64({0, 0, 3, infinity, 0, nan})},
              {"f32 stays f32", f32(relu, {-1, 1}), tensor({0, 1})},
              {"its slope", slope(relu, {-2, 0, 3, infinity, -infinity}), f64({0, 0, 1, 1, 0})},
          },
          errors("relu", relu)};
}

OpRow silu_row() {
  return {"silu",
          "activations",
          "y = x sigmoid(x)",
          "dx = dy (s + x s (1 - s)), s = sigmoid(x)",
          samples(silu, normal),
          {
              {"numbers", f64(silu, {0, 1, -2, 0.5, -20}),
               f64({0, 0.73105857863000488, -0.23840584404423511, 0.31122966560092728,
                    -4.1223072363804072e-8}),
               3e-16},
              {"huge, infinity, NaN", f64(silu, {1e300, -1e300, infinity, -infinity, nan}),
               f64({1e300, 0, infinity, 0, nan})},
              {"f32", f32(silu, {0.5, -1000, 1000}), tensor({0.31122966560092728, 0, 1000}), 2e-7},
              {"its slope", slope(silu, {0, 1, -2}),
               f64({0.5, 0.92767051187148673, -0.090784248784895479}), 3e-16},
              {"its slope far out", slope(silu, {1e300, -1e300, infinity, -infinity, nan}),
               f64({1, 0, 1, 0, nan})},
          },
          errors("silu", silu)};
}

Tensor by_tanh(const Tensor& x) { return gelu(x); }
Tensor by_erf(const Tensor& x) { return gelu(x, Gelu::erf); }

OpRow gelu_row() {
  const Function tanh_decomposition = [](const Inputs& in) {
    const Tensor& x = in[0];
    return x * 0.5 * (1 + tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  const Function erf_decomposition = [](const Inputs& in) {
    return in[0] * 0.5 * (1 + erf(in[0] / std::sqrt(2.0)));
  };
  std::vector<OpSample> all;
  for (const Unary op : {by_tanh, by_erf})
    for (OpSample& sample : samples(op, normal)) {
      sample.what = (op == by_tanh ? "by tanh, " : "by erf, ") + sample.what;
      sample.decomposition = op == by_tanh ? tanh_decomposition : erf_decomposition;
      all.push_back(sample);
    }
  return {
      "gelu",
      "activations",
      "y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or (1 + tanh(sqrt(2 / pi) (x + 0.044715 "
      "x^3))) / 2",
      "dx = dy (Phi(x) + x Phi'(x))",
      all,
      {
          {"by tanh", f64(by_tanh, {0, 1, -1, 0.5, 3}),
           f64({0, 0.8411919906082767, -0.1588080093917233, 0.34571400982514392,
                2.996362607918227}),
           3e-16},
          {"by erf", f64(by_erf, {0, 1, -1, 0.5, 3}),
           f64({0, 0.84134474606854295, -0.15865525393145705, 0.34573123063700655,
                2.9959503059051097}),
           3e-16},
          {"by tanh, far below 0", [] { return gelu(f64({-6})) * 1e11; },
           f64({-8.4396467007622971}), 1e-14},
          {"by erf, far below 0", [] { return gelu(f64({-6}), Gelu::erf) * 1e9; },
           f64({-5.9195258702261888}), 1e-14},
          {"by tanh, huge, infinity, NaN", f64(by_tanh, {1e300, -1e300, infinity, -infinity, nan}),
           f64({1e300, 0, infinity, 0, nan})},
          {"by erf, huge, infinity, NaN", f64(by_erf, {1e300, -1e300, infinity, -infinity, nan}),
           f64({1e300, 0, infinity, 0, nan})},
          {"by tanh, f32", f32(by_tanh, {0.5, 1e30, -infinity}),
           tensor({0.34571400982514392, 1e30, 0}), 2e-7},
          {"by erf, f32", f32(by_erf, {0.5, 1e30, -infinity}),
           tensor({0.34573123063700655, 1e30, 0}), 2e-7},
          {"by tanh, its slope", slope(by_tanh, {0, 1, -1, 0.5, -3}),
           f64({0.5, 1.0829640838457826, -0.082964083845782555, 0.86736990353464231,
                -0.011584166630969726}),
           3e-16},
          {"by erf, its slope", slope(by_erf, {0, 1, -1, 0.5, -3}),
           f64({0.5, 1.0833154705876863, -0.083315470587686298, 0.86749512465616284,
                -0.011945647204183927}),
           3e-16},
          {"by tanh, its slope far out", slope(by_tanh, {1e300, -1e300, infinity, -infinity, nan}),
           f64({1, 0, 1, 0, nan})},
          {"by erf, its slope far out", slope(by_erf, {1e300, -1e300, infinity, -infinity, nan}),
           f64({1, 0, 1, 0, nan})},
      },
      errors("gelu", by_tanh)};
}

}  // namespace

std::vector<OpRow> activation_rows() {
  return {tanh_row(), sigmoid_row(), relu_row(), silu_row(), gelu_row()};
}

}  // namespace tapehead
