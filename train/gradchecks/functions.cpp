#include "catalog.hpp"

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
Tensor positive(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0.5, 3, seed);
}

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
Tensor clamp_to_1(const Tensor& x) { return clamp(x, -0.5, 1); }

std::vector<OpSample> samples(Unary op, Tensor (*x)(const Shape&, std::uint64_t)) {
  return elementwise_samples([=](const Inputs& in) { return op(in[0]); }, x);
}
std::vector<OpError> errors(const std::string& name, Unary op) {
  return {{[=] { op(zeros({2}, DType::i32)); },
           name + ": takes f32 or f64, not i32; convert with cast(x, DType::f32)"}};
}

OpRow neg_row() {
  return {"neg",
          "arithmetic",
          "y = -x",
          "dx = -dy",
          samples(neg, normal),
          {
              {"numbers", f64(neg, {2, -3, infinity, nan}), f64({-2, 3, -infinity, nan})},
              {"0 becomes -0",
               [] {
                 return 1 / -f64({0, -0.0});
               },
               f64({-infinity, infinity})},
              {"f32 stays f32", f32(neg, {2}), tensor({-2})},
          },
          errors("neg", neg)};
}

OpRow exp_row() {
  return {"exp",
          "arithmetic",
          "y = exp(x)",
          "dx = dy y",
          samples(exp, normal),
          {
              {"numbers", f64(exp, {0, 1, -1, 0.5, 10}),
               f64({1, 2.7182818284590452, 0.36787944117144232, 1.6487212707001281,
                    22026.465794806717}),
               3e-16},
              {"near the largest number", f64(exp, {709.7, 709.8}),
               f64({1.6549840276802644e+308, infinity}), 5e-16},
              {"near the smallest", f64(exp, {-745, -746}), f64({4.9406564584124654e-324, 0})},
              {"infinity, NaN", f64(exp, {infinity, -infinity, nan}), f64({infinity, 0, nan})},
              {"the ends of f32", f32(exp, {88.7, 88.8, -103, -104.5}),
               tensor({3.3259768301593062e+38, infinity, 1.401298464324817e-45, 0}), 3e-7},
              {"f32", f32(exp, {1}), tensor({2.7182818284590452}), 1e-7},
          },
          errors("exp", exp)};
}

OpRow log_row() {
  return {"log",
          "arithmetic",
          "y = log(x)",
          "dx = dy / x",
          samples(log, positive),
          {
              {"numbers", f64(log, {1, 2, 10, 0.5, 1.0000001}),
               f64({0, 0.69314718055994531, 2.3025850929940457, -0.69314718055994531,
                    9.9999995058387045e-8}),
               3e-16},
              {"0 and below", f64(log, {0, -0.0, -1, -infinity}),
               f64({-infinity, -infinity, nan, nan})},
              {"infinity, NaN", f64(log, {infinity, nan}), f64({infinity, nan})},
              {"the smallest number", f64(log, {4.9406564584124654e-324}),
               f64({-744.44007192138126}), 3e-16},
              {"a denormal f32", f32(log, {1e-40}), tensor({-92.103409109664877}), 1e-7},
          },
          errors("log", log)};
}

OpRow sqrt_row() {
  return {"sqrt",
          "arithmetic",
          "y = sqrt(x)",
          "dx = dy / (2 y)",
          samples(sqrt, positive),
          {
              {"numbers", f64(sqrt, {0, 4, 2, 1e-300, 1e300}),
               f64({0, 2, 1.414213562373095, 1e-150, 1e150}), 3e-16},
              {"infinity, NaN, below 0", f64(sqrt, {infinity, nan, -1}), f64({infinity, nan, nan})},
              {"f32 stays f32", f32(sqrt, {9}), tensor({3})},
              {"the slope at 0", slope(sqrt, {0, infinity}), f64({infinity, 0})},
          },
          errors("sqrt", sqrt)};
}

OpRow abs_row() {
  return {"abs",
          "arithmetic",
          "y = |x|",
          "dx = dy sign(x)",
          samples(abs, far_from_zero),
          {
              {"numbers", f64(abs, {2, -3, 0, -infinity, nan}), f64({2, 3, 0, infinity, nan})},
              {"f32 stays f32", f32(abs, {-2}), tensor({2})},
              {"its slope", slope(abs, {2, -3, 0, -infinity}), f64({1, -1, 0, -1})},
          },
          errors("abs", abs)};
}

OpRow sin_row() {
  return {"sin",
          "arithmetic",
          "y = sin(x)",
          "dx = dy cos(x)",
          samples(sin, normal),
          {
              {"numbers", f64(sin, {0, 1, 0.5}), f64({0, 0.84147098480789651, 0.479425538604203}),
               3e-16},
              {"after many turns", f64(sin, {1e6, 1e15}),
               f64({-0.34999350217129295, 0.85827279317023584}), 3e-16},
              {"infinity, NaN", f64(sin, {infinity, -infinity, nan}), f64({nan, nan, nan})},
              {"f32", f32(sin, {1e6}), tensor({-0.34999350217129295}), 1e-7},
          },
          errors("sin", sin)};
}

OpRow cos_row() {
  return {"cos",
          "arithmetic",
          "y = cos(x)",
          "dx = -dy sin(x)",
          samples(cos, normal),
          {
              {"numbers", f64(cos, {0, 1, 0.5}), f64({1, 0.54030230586813972, 0.87758256189037272}),
               3e-16},
              {"after many turns", f64(cos, {1e6, 1e15}),
               f64({0.93675212753314479, -0.51319373778697025}), 3e-16},
              {"infinity, NaN", f64(cos, {infinity, -infinity, nan}), f64({nan, nan, nan})},
              {"f32", f32(cos, {1e6}), tensor({0.93675212753314479}), 1e-7},
          },
          errors("cos", cos)};
}

OpRow erf_row() {
  return {"erf",
          "arithmetic",
          "y = 2 / sqrt(pi) times the integral of exp(-t^2) for t from 0 to x",
          "dx = dy 2 / sqrt(pi) exp(-x^2)",
          samples(erf, normal),
          {
              {"numbers", f64(erf, {0, 0.5, 1, -2, 3}),
               f64({0, 0.52049987781304654, 0.84270079294971487, -0.99532226501895273,
                    0.99997790950300141}),
               3e-16},
              {"huge, infinity, NaN", f64(erf, {1e200, -1e200, infinity, -infinity, nan}),
               f64({1, -1, 1, -1, nan})},
              {"f32", f32(erf, {0.5, 1e30}), tensor({0.52049987781304654, 1}), 2e-7},
              {"the slope at infinity", slope(erf, {1e200, -infinity}), f64({0, 0})},
          },
          errors("erf", erf)};
}

OpRow clamp_row() {
  return {"clamp",
          "arithmetic",
          "y = min(max(x, low), high)",
          "dx = dy where low <= x <= high, 0 elsewhere",
          samples(clamp_to_1, normal),
          {
              {"numbers", f64(clamp_to_1, {-3, -0.5, 0.25, 1, 7}), f64({-0.5, -0.5, 0.25, 1, 1})},
              {"infinity, NaN", f64(clamp_to_1, {infinity, -infinity, nan}), f64({1, -0.5, nan})},
              {"f32 stays f32", f32(clamp_to_1, {2}), tensor({1})},
              {"one bound alone",
               [] {
                 return clamp(f64({-5, 5}), 0, infinity);
               },
               f64({0, 5})},
              {"its slope at the bounds and beyond", slope(clamp_to_1, {-3, -0.5, 1, 7}),
               f64({0, 1, 1, 0})},
          },
          {
              {[] { clamp(scalar(1), 2, 1); },
               "clamp: low is 2 and high 1, and low must be at most high"},
              {[] { clamp(scalar(1), nan, 1); },
               "clamp: low is nan and high 1, and low must be at most high"},
              {[] { clamp(zeros({2}, DType::i32), 0, 1); },
               "clamp: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpSample> elementwise_samples(const Function& f,
                                          Tensor (*x)(const Shape&, std::uint64_t)) {
  return {
      {"a matrix", {x({2, 3}, 1)}, f},
      {"rows longer than registers", {x({19}, 2)}, f},
      {"three axes", {x({2, 1, 2}, 3)}, f},
      {"one element", {x({1}, 4)}, f},
      {"rank 0", {x({}, 5)}, f},
      {"no elements", {x({0, 3}, 6)}, f},
  };
}

std::vector<OpRow> function_rows() {
  return {neg_row(), exp_row(), log_row(), sqrt_row(), abs_row(),
          sin_row(), cos_row(), erf_row(), clamp_row()};
}

}  // namespace tapehead
