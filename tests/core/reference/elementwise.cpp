// Arithmetic, comparison and activations, element by element; xtensor broadcasts as NumPy does.
#include "array.hpp"

namespace tapehead::reference {

Value add(const Value& a, const Value& b) { return like(a, array(a) + array(b)); }
Value sub(const Value& a, const Value& b) { return like(a, array(a) - array(b)); }
Value mul(const Value& a, const Value& b) { return like(a, array(a) * array(b)); }
Value div(const Value& a, const Value& b) { return like(a, array(a) / array(b)); }
Value pow(const Value& a, const Value& b) { return like(a, xt::pow(array(a), array(b))); }

// A NaN on either side is passed on, where xt::maximum drops one on the left.
Value maximum(const Value& a, const Value& b) {
  const Array left = array(a), right = array(b);
  return like(a, xt::where(left > right || xt::isnan(left), left, right));
}
Value minimum(const Value& a, const Value& b) {
  const Array left = array(a), right = array(b);
  return like(a, xt::where(left < right || xt::isnan(left), left, right));
}

Value neg(const Value& x) { return like(x, -array(x)); }
Value exp(const Value& x) { return like(x, xt::exp(array(x))); }
Value log(const Value& x) { return like(x, xt::log(array(x))); }
Value log1p(const Value& x) { return like(x, xt::log1p(array(x))); }
Value sqrt(const Value& x) { return like(x, xt::sqrt(array(x))); }
Value abs(const Value& x) { return like(x, xt::abs(array(x))); }
Value sin(const Value& x) { return like(x, xt::sin(array(x))); }
Value cos(const Value& x) { return like(x, xt::cos(array(x))); }
Value erf(const Value& x) { return like(x, xt::erf(array(x))); }

Value clamp(const Value& x, double low, double high) {
  const Array a = array(x);
  return like(x, xt::where(a < low, low, xt::where(a > high, high, a)));
}

Value where(const Value& mask, const Value& a, const Value& b) {
  return like(a, xt::where(xt::not_equal(array(mask), 0), array(a), array(b)));
}
Value masked_fill(const Value& x, const Value& mask, double value) {
  return like(x, xt::where(xt::not_equal(array(mask), 0), value, array(x)));
}
Value cast(const Value& x, DType dtype) { return as(dtype, array(x)); }

Value equal(const Value& a, const Value& b) {
  return as(DType::i32, xt::equal(array(a), array(b)));
}
Value less(const Value& a, const Value& b) { return as(DType::i32, array(a) < array(b)); }
Value less_equal(const Value& a, const Value& b) { return as(DType::i32, array(a) <= array(b)); }

Value tanh(const Value& x) { return like(x, xt::tanh(array(x))); }
Value sigmoid(const Value& x) { return like(x, 1 / (1 + xt::exp(-array(x)))); }
Value relu(const Value& x) {
  const Array a = array(x);
  return like(x, xt::where(a < 0, 0, a));  // a NaN stays
}

namespace {

/// a p, and 0 at minus infinity, where p is 0.
Array gated(const Array& a, const Array& p) { return xt::where(xt::equal(a, -infinity), 0, a * p); }

}  // namespace

Value silu(const Value& x) {
  const Array a = array(x);
  return like(x, gated(a, 1 / (1 + xt::exp(-a))));
}
Value softplus(const Value& x) {
  const Array a = array(x);
  return like(x, xt::where(a > 0, a, 0) + xt::log1p(xt::exp(-xt::abs(a))));
}
Value gelu(const Value& x, Gelu form) {
  const Array a = array(x);
  const double pi = std::acos(-1);
  if (form == Gelu::erf) return like(x, gated(a, (1 + xt::erf(a / std::sqrt(2))) / 2));
  return like(x, gated(a, (1 + xt::tanh(std::sqrt(2 / pi) * (a + 0.044715 * a * a * a))) / 2));
}

}  // namespace tapehead::reference
