// Arithmetic, comparison and activations, as functions of one element. xtensor expressions would
// take seconds to compile, because each has a separate type.
#include "array.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace tapehead {

namespace reference {

Array array(const Tensor& x) {
  const std::vector<double> elements = x.values();
  Array y = Array::from_shape(sizes(x.shape()));
  std::copy(elements.begin(), elements.end(), y.begin());
  return y;
}
Tensor as(DType dtype, const Array& y) {
  const std::vector<Index> shape(y.shape().begin(), y.shape().end());
  std::vector<double> elements(y.begin(), y.end());
  if (dtype == DType::i32)
    for (double& element : elements) element = std::trunc(element);
  return tensor(elements, Shape(shape), dtype);
}

namespace {

enum class Form { tanh, erf };
enum class Type { f64, f32, i32 };

/// Broadcasts several tensors to one shape as in NumPy.
std::vector<Array> broadcast(const std::vector<Tensor>& all) {
  Sizes shape;
  for (const Tensor& x : all) shape.resize(std::max(shape.size(), sizes(x.shape()).size()), 1);
  for (const Tensor& x : all) xt::broadcast_shape(sizes(x.shape()), shape);
  std::vector<Array> arrays;
  for (const Tensor& x : all) arrays.push_back(xt::broadcast(array(x), shape));
  return arrays;
}

Tensor map(const Tensor& x, const std::function<double(double)>& f) {
  Array y = array(x);
  std::transform(y.begin(), y.end(), y.begin(), f);
  return like(x, y);
}
Array map(const Tensor& a, const Tensor& b, const std::function<double(double, double)>& f) {
  std::vector<Array> both = broadcast({a, b});
  std::transform(both[0].begin(), both[0].end(), both[1].begin(), both[0].begin(), f);
  return both[0];
}

Op of_one(const char* name, double (*f)(double)) {
  return define(name, [f](const Tensor& x) { return map(x, f); });
}
Op of_two(const char* name, double (*f)(double, double)) {
  return define(name, [f](const Tensor& a, const Tensor& b) { return like(a, map(a, b, f)); });
}
Op comparing(const char* name, bool (*f)(double, double)) {
  return define(name,
                [f](const Tensor& a, const Tensor& b) { return as(DType::i32, map(a, b, f)); });
}

/// Returns a p, or 0 at minus infinity, where p is 0.
double gated(double a, double p) { return a == -infinity ? 0 : a * p; }
double logistic(double a) { return 1 / (1 + std::exp(-a)); }

Tensor clamped(const Tensor& x, double low, double high) {
  return map(x, [=](double a) { return a < low ? low : a > high ? high : a; });
}
Tensor chosen(const Tensor& mask, const Tensor& a, const Tensor& b) {
  std::vector<Array> all = broadcast({mask, a, b});
  for (std::size_t i = 0; i < all[0].size(); ++i)
    all[0].flat(i) = all[all[0].flat(i) != 0 ? 1 : 2].flat(i);
  return like(a, all[0]);
}
Tensor filled(const Tensor& x, const Tensor& mask, double value) {
  return like(x, map(x, mask, [=](double a, double hides) { return hides != 0 ? value : a; }));
}
Tensor converted(const Tensor& x, Type type) {
  constexpr DType types[] = {DType::f64, DType::f32, DType::i32};
  return as(types[static_cast<int>(type)], array(x));
}

Tensor gelu_by(const Tensor& x, Form form) {
  if (form == Form::erf)
    return map(x, [](double a) { return gated(a, (1 + std::erf(a / std::sqrt(2))) / 2); });
  const double factor = std::sqrt(2 / std::acos(-1));
  return map(x, [=](double a) {
    return gated(a, (1 + std::tanh(factor * (a + 0.044715 * a * a * a))) / 2);
  });
}

}  // namespace
}  // namespace reference

template <>
struct EnumNames<reference::Form> {
  using Form = reference::Form;
  static constexpr Choice<Form> all[] = {{"tanh", Form::tanh}, {"erf", Form::erf}};
};
template <>
struct EnumNames<reference::Type> {
  using Type = reference::Type;
  static constexpr Choice<Type> all[] = {
      {"f64", Type::f64}, {"f32", Type::f32}, {"i32", Type::i32}};
};

namespace reference {

std::vector<Op> elementwise_definitions() {
  return {
      of_two("add", [](double a, double b) { return a + b; }),
      of_two("sub", [](double a, double b) { return a - b; }),
      of_two("mul", [](double a, double b) { return a * b; }),
      of_two("div", [](double a, double b) { return a / b; }),
      of_two("pow", [](double a, double b) { return std::pow(a, b); }),
      // NaN in either operand is propagated.
      of_two("maximum", [](double a, double b) { return a > b || std::isnan(a) ? a : b; }),
      of_two("minimum", [](double a, double b) { return a < b || std::isnan(a) ? a : b; }),
      of_one("neg", [](double a) { return -a; }),
      of_one("exp", [](double a) { return std::exp(a); }),
      of_one("log", [](double a) { return std::log(a); }),
      of_one("log1p", [](double a) { return std::log1p(a); }),
      of_one("sqrt", [](double a) { return std::sqrt(a); }),
      of_one("abs", [](double a) { return std::abs(a); }),
      of_one("sin", [](double a) { return std::sin(a); }),
      of_one("cos", [](double a) { return std::cos(a); }),
      of_one("erf", [](double a) { return std::erf(a); }),
      define("clamp", clamped),
      define("where", chosen),
      define("masked_fill", filled),
      define("cast", converted),
      comparing("equal", [](double a, double b) { return a == b; }),
      comparing("less", [](double a, double b) { return a < b; }),
      comparing("less_equal", [](double a, double b) { return a <= b; }),
      of_one("tanh", [](double a) { return std::tanh(a); }),
      of_one("sigmoid", logistic),
      of_one("relu", [](double a) { return a < 0 ? 0 : a; }),  // NaN stays NaN
      of_one("silu", [](double a) { return gated(a, logistic(a)); }),
      of_one("softplus",
             [](double a) { return (a > 0 ? a : 0) + std::log1p(std::exp(-std::abs(a))); }),
      define("gelu", gelu_by),
  };
}

const Op& definition_of(const std::string& op) {
  static const std::map<std::string, Op> all = [] {
    std::map<std::string, Op> by_name;
    for (const auto family : {elementwise_definitions, layout_definitions, layer_definitions,
                              attention_definitions, recurrence_definitions})
      for (const Op& definition : family()) by_name.emplace(definition.name, definition);
    return by_name;
  }();
  const auto found = all.find(op);
  if (found == all.end())
    throw ValueError("{}: tests/core/reference has no definition of this op", op);
  return found->second;
}

}  // namespace reference
}  // namespace tapehead
