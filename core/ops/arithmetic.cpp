#include "../ops.hpp"
#include "elementwise.hpp"

#include <algorithm>
#include <cstdlib>

namespace tapehead {
namespace {

Tensor recorded_sum(Tensor y, const Tensor& a, const Tensor& b) {
  return record("add", std::move(y), {a, b}, [](const Tensor& dy) { return Grads{dy, dy}; });
}

/// a^b of two i32. Throws ValueError for b < 0, as NumPy does.
Index whole_power(Index a, Index b) {
  constexpr Index limit = Index{1} << 31;
  if (b < 0)
    throw ValueError(
        "pow: i32 {} has the negative exponent {}; convert the base with cast(a, DType::f32)", a,
        b);
  const bool repeats = a * a <= 1;  // with a period of 2, from b = 1 on
  Index y = 1;
  for (Index left = repeats ? std::min(b, 2 - b % 2) : b; left > 0; --left) {
    y *= a;
    if (std::abs(y) > limit) throw ValueError("pow: ({})^{} doesn't fit an i32", a, b);
  }
  return y;
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b)) return map_i32("add", a, b, [](Index x, Index y) { return x + y; });
  return recorded_sum(broadcast("add", a, b, [](auto& k) { return k.add; }), a, b);
}

/// The sum takes over the memory of b where nothing else holds it. b isn't emptied, though it then
/// has the elements of the sum: it stays the op's input, which the tape finds by its id.
Tensor add(const Tensor& a, Tensor&& b) {
  check_present("add", a, b);
  if (!a.is_float() || a.dtype() != b.dtype() || a.shape() != b.shape())
    return add(a, static_cast<const Tensor&>(b));
  return recorded_sum(broadcast("add", std::move(b), a, [](auto& k) { return k.add; }), a, b);
}

Tensor sub(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b)) return map_i32("sub", a, b, [](Index x, Index y) { return x - y; });
  Tensor y = broadcast("sub", a, b, [](auto& k) { return k.sub; });
  return record("sub", std::move(y), {a, b}, [](const Tensor& dy) { return Grads{dy, -dy}; });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b)) return map_i32("mul", a, b, [](Index x, Index y) { return x * y; });
  Tensor y = broadcast("mul", a, b, [](auto& k) { return k.mul; });
  return record("mul", y, {a, b}, [=](const Tensor& dy) { return Grads{dy * b, dy * a}; });
}

Tensor div(const Tensor& a, const Tensor& b) {
  Tensor y = broadcast("div", a, b, [](auto& k) { return k.div; });
  return record("div", y, {a, b}, [=](const Tensor& dy) { return Grads{dy / b, -dy * y / b}; });
}

Tensor pow(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b)) return map_i32("pow", a, b, whole_power);
  Tensor y = broadcast("pow", a, b, [](auto& k) { return k.pow; });
  return record("pow", y, {a, b}, [=, b_known = known(b)](const Tensor& dy) {
    const Tensor zero = scalar(0, a.dtype()), one = scalar(1, a.dtype());
    // x^0 is 1 for every x, so the gradient is 0, not 0 times infinity: at 0, at a denormal number
    // and at NaN the base is taken as 1.
    const Tensor finite = where(abs(1.0 / a) < infinity, a, one);
    const Tensor da = dy * b * pow(where(equal(b, zero), finite, a), b - 1.0);
    if (!b_known) return Grads{da, {}};
    const Tensor base = where(equal(a, zero), where(b >= 0, one, a), a);
    return Grads{da, dy * pow(base, b) * log(base)};
  });
}

Tensor neg(const Tensor& x) {
  Tensor y = map("neg", x, [](auto& k) { return k.neg; });
  return record("neg", std::move(y), {x}, [](const Tensor& dy) { return Grads{-dy}; });
}

Tensor exp(const Tensor& x) {
  Tensor y = map("exp", x, [](auto& k) { return k.exp; });
  return record("exp", y, {x}, [=](const Tensor& dy) { return Grads{dy * y}; });
}

Tensor log(const Tensor& x) {
  Tensor y = map("log", x, [](auto& k) { return k.log; });
  return record("log", y, {x}, [=](const Tensor& dy) { return Grads{dy / x}; });
}

Tensor log1p(const Tensor& x) {
  Tensor y = map("log1p", x, [](auto& k) { return k.log1p; });
  return record("log1p", y, {x}, [=](const Tensor& dy) { return Grads{dy / (1 + x)}; });
}

Tensor sqrt(const Tensor& x) {
  Tensor y = map("sqrt", x, [](auto& k) { return k.sqrt; });
  return record("sqrt", y, {x}, [=](const Tensor& dy) { return Grads{dy / (2 * y)}; });
}

Tensor abs(const Tensor& x) {
  Tensor y = map("abs", x, [](auto& k) { return k.abs; });
  return record("abs", y, {x},
                [=](const Tensor& dy) { return Grads{where(x < 0, -dy, passed(dy, x > 0, x))}; });
}

Tensor sin(const Tensor& x) {
  Tensor y = map("sin", x, [](auto& k) { return k.sin; });
  return record("sin", y, {x}, [=](const Tensor& dy) { return Grads{dy * cos(x)}; });
}

Tensor cos(const Tensor& x) {
  Tensor y = map("cos", x, [](auto& k) { return k.cos; });
  return record("cos", y, {x}, [=](const Tensor& dy) { return Grads{-dy * sin(x)}; });
}

Tensor erf(const Tensor& x) {
  Tensor y = map("erf", x, [](auto& k) { return k.erf; });
  return record("erf", y, {x}, [=](const Tensor& dy) {
    return Grads{dy * (1.1283791670955126 * exp(-x * x))};  // 2 / sqrt(pi)
  });
}

}  // namespace tapehead
