// Arithmetic, comparison and activations: a function of numbers, applied to each element. With
// xtensor expressions each function would have its own type, which takes seconds to compile.
#include "array.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tapehead::reference {

Array array(const Value& x) {
  const std::vector<double> elements = x.tensor.values();
  Array y = Array::from_shape(sizes(x.tensor.shape()));
  std::copy(elements.begin(), elements.end(), y.begin());
  return y;
}
Value as(DType dtype, const Array& y) {
  const std::vector<Index> shape(y.shape().begin(), y.shape().end());
  std::vector<double> elements(y.begin(), y.end());
  if (dtype == DType::i32)
    for (double& element : elements) element = std::trunc(element);
  return tensor(elements, Shape(shape), dtype);
}

namespace {

/// The elements of several values, broadcast to one shape as in NumPy.
std::vector<Array> broadcast(const std::vector<Value>& all) {
  Sizes shape;
  for (const Value& x : all)
    shape.resize(std::max(shape.size(), sizes(x.tensor.shape()).size()), 1);
  for (const Value& x : all) xt::broadcast_shape(sizes(x.tensor.shape()), shape);
  std::vector<Array> arrays;
  for (const Value& x : all) arrays.push_back(xt::broadcast(array(x), shape));
  return arrays;
}

Value map(const Value& x, const std::function<double(double)>& f) {
  Array y = array(x);
  std::transform(y.begin(), y.end(), y.begin(), f);
  return like(x, y);
}
Array map(const Value& a, const Value& b, const std::function<double(double, double)>& f) {
  std::vector<Array> both = broadcast({a, b});
  std::transform(both[0].begin(), both[0].end(), both[1].begin(), both[0].begin(), f);
  return both[0];
}

/// a p, and 0 at minus infinity, where p is 0.
double gated(double a, double p) { return a == -infinity ? 0 : a * p; }

}  // namespace

Value add(const Value& a, const Value& b) { return like(a, map(a, b, std::plus<double>())); }
Value sub(const Value& a, const Value& b) { return like(a, map(a, b, std::minus<double>())); }
Value mul(const Value& a, const Value& b) { return like(a, map(a, b, std::multiplies<double>())); }
Value div(const Value& a, const Value& b) { return like(a, map(a, b, std::divides<double>())); }
Value pow(const Value& a, const Value& b) {
  return like(a, map(a, b, [](double x, double y) { return std::pow(x, y); }));
}

// A NaN on either side is passed on.
Value maximum(const Value& a, const Value& b) {
  return like(a, map(a, b, [](double x, double y) { return x > y || std::isnan(x) ? x : y; }));
}
Value minimum(const Value& a, const Value& b) {
  return like(a, map(a, b, [](double x, double y) { return x < y || std::isnan(x) ? x : y; }));
}

Value neg(const Value& x) { return map(x, std::negate<double>()); }
Value exp(const Value& x) {
  return map(x, [](double a) { return std::exp(a); });
}
Value log(const Value& x) {
  return map(x, [](double a) { return std::log(a); });
}
Value log1p(const Value& x) {
  return map(x, [](double a) { return std::log1p(a); });
}
Value sqrt(const Value& x) {
  return map(x, [](double a) { return std::sqrt(a); });
}
Value abs(const Value& x) {
  return map(x, [](double a) { return std::abs(a); });
}
Value sin(const Value& x) {
  return map(x, [](double a) { return std::sin(a); });
}
Value cos(const Value& x) {
  return map(x, [](double a) { return std::cos(a); });
}
Value erf(const Value& x) {
  return map(x, [](double a) { return std::erf(a); });
}

Value clamp(const Value& x, double low, double high) {
  return map(x, [=](double a) { return a < low ? low : a > high ? high : a; });
}

Value where(const Value& mask, const Value& a, const Value& b) {
  std::vector<Array> all = broadcast({mask, a, b});
  for (std::size_t i = 0; i < all[0].size(); ++i)
    all[0].flat(i) = all[all[0].flat(i) != 0 ? 1 : 2].flat(i);
  return like(a, all[0]);
}
Value masked_fill(const Value& x, const Value& mask, double value) {
  return like(x, map(x, mask, [=](double a, double hides) { return hides != 0 ? value : a; }));
}
Value cast(const Value& x, DType dtype) { return as(dtype, array(x)); }

Value equal(const Value& a, const Value& b) {
  return as(DType::i32, map(a, b, std::equal_to<double>()));
}
Value less(const Value& a, const Value& b) {
  return as(DType::i32, map(a, b, std::less<double>()));
}
Value less_equal(const Value& a, const Value& b) {
  return as(DType::i32, map(a, b, std::less_equal<double>()));
}

Value tanh(const Value& x) {
  return map(x, [](double a) { return std::tanh(a); });
}
Value sigmoid(const Value& x) {
  return map(x, [](double a) { return 1 / (1 + std::exp(-a)); });
}
Value relu(const Value& x) {
  return map(x, [](double a) { return a < 0 ? 0 : a; });  // a NaN stays
}
Value silu(const Value& x) {
  return map(x, [](double a) { return gated(a, 1 / (1 + std::exp(-a))); });
}
Value softplus(const Value& x) {
  return map(x, [](double a) { return (a > 0 ? a : 0) + std::log1p(std::exp(-std::abs(a))); });
}
Value gelu(const Value& x, Gelu form) {
  if (form == Gelu::erf)
    return map(x, [](double a) { return gated(a, (1 + std::erf(a / std::sqrt(2))) / 2); });
  const double factor = std::sqrt(2 / std::acos(-1));
  return map(x, [=](double a) {
    return gated(a, (1 + std::tanh(factor * (a + 0.044715 * a * a * a))) / 2);
  });
}

}  // namespace tapehead::reference
