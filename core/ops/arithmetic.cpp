#include "../ops.hpp"
#include "elementwise.hpp"
#include "families.hpp"

#include <algorithm>
#include <cstdlib>

namespace tapehead {

template <>
struct EnumNames<DType> {
  static constexpr Choice<DType> all[] = {
      {"f64", DType::f64}, {"f32", DType::f32}, {"i32", DType::i32}};
};

namespace {

Tensor recorded_sum(Tensor y, const Tensor& a, const Tensor& b) {
  return record("add", std::move(y), {a, b}, [](const Tensor& dy) { return Grads{dy, dy}; });
}

/// Computes a^b for i32. Throws ValueError for b < 0, like NumPy.
Index whole_power(Index a, Index b) {
  constexpr Index limit = Index{1} << 31;
  if (b < 0)
    throw ValueError(
        "pow: i32 {} has the negative exponent {}; convert the base with cast(a, DType::f32)", a,
        b);
  const bool repeats = a * a <= 1;  // a is -1, 0 or 1: a^b = a^(b + 2)
  Index y = 1;
  for (Index left = repeats ? std::min(b, 2 - b % 2) : b; left > 0; --left) {
    y *= a;
    if (std::abs(y) > limit) throw ValueError("pow: ({})^{} doesn't fit an i32", a, b);
  }
  return y;
}

/// Returns the gradient of an operand x of maximum or minimum. It is dy where `mask` is 1, because
/// x was selected there, half of dy where `tie` is 1, and 0 elsewhere.
Tensor taken(const Tensor& dy, const Tensor& mask, const Tensor& tie, const Tensor& x) {
  return where(tie, dy * 0.5, passed(dy, mask, x));
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b)) return map_i32("add", a, b, [](Index x, Index y) { return x + y; });
  return recorded_sum(broadcast("add", a, b, [](auto& k) { return k.add; }), a, b);
}

/// Computes a + b. Overwrites the elements of b if no other handle shares them. b keeps its id, by
/// which tapes find this input.
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
  return record("pow", y, {a, b}, [=, b_known = is_tracked(b)](const Tensor& dy) {
    const Tensor zero = scalar(0, a.dtype()), one = scalar(1, a.dtype());
    // Where b is 0, the gradient of a is 0, because a^0 is 1 for every a. If a is 0, denormal or
    // NaN, the formula would give NaN, so it is evaluated at a = 1 instead.
    const Tensor finite = where(abs(1.0 / a) < infinity, a, one);
    const Tensor da = dy * b * pow(where(equal(b, zero), finite, a), b - 1.0);
    if (!b_known) return Grads{da, {}};
    const Tensor base = where(equal(a, zero), where(b >= 0, one, a), a);
    return Grads{da, dy * pow(base, b) * log(base)};
  });
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b))
    return map_i32("maximum", a, b, [](Index x, Index y) { return std::max(x, y); });
  Tensor y = broadcast("maximum", a, b, [](auto& k) { return k.maximum; });  // propagates NaN
  return record("maximum", y, {a, b}, [=](const Tensor& dy) {
    return Grads{taken(dy, b < a, equal(a, b), a), taken(dy, a < b, equal(a, b), b)};
  });
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  if (are_i32(a, b))
    return map_i32("minimum", a, b, [](Index x, Index y) { return std::min(x, y); });
  Tensor y = broadcast("minimum", a, b, [](auto& k) { return k.minimum; });
  return record("minimum", y, {a, b}, [=](const Tensor& dy) {
    return Grads{taken(dy, a < b, equal(a, b), a), taken(dy, b < a, equal(a, b), b)};
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

Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high))
    throw ValueError("clamp: low is {} and high {}, expected low <= high", low, high);
  if (x && x.dtype() == DType::i32) {
    const Tensor raised = low > -infinity ? maximum(x, number(low, x)) : x;
    return high < infinity ? minimum(raised, number(high, x)) : raised;
  }
  Tensor y = map(
      "clamp", x, [](auto& k) { return k.clamp; }, low, high);
  return record({"clamp", {{"low", low}, {"high", high}}}, y, {x}, [=](const Tensor& dy) {
    return Grads{masked_fill(passed(dy, x >= low, x), x > high, 0)};
  });
}

Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b) {
  check_present("where", mask, a, b);
  check_mask("where", mask);
  check_same_type("where", a, b);
  const Shape values = broadcast_shapes("where", a.shape(), b.shape());
  const Shape shape = broadcast_shapes("where", mask.shape(), values);
  const Tensor masks = spread(mask, shape), lefts = spread(a, shape), rights = spread(b, shape);
  Tensor y = Tensor::empty(shape, a.dtype());
  with_elements(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *left = lefts.data<T>(), *right = rights.data<T>();
    const std::int32_t* m = masks.data<std::int32_t>();
    T* out = y.mutable_data<T>();
    for (Index i = 0; i < y.size(); ++i) {
      const T x = left[i], z = right[i];  // reading both avoids a branch
      out[i] = m[i] ? x : z;
    }
  });
  return record({"where", {{"mask", mask}}}, y, {a, b}, [=](const Tensor& dy) {
    const Tensor zero = scalar(0, dy.dtype());
    return Grads{where(mask, dy, zero), where(mask, zero, dy)};
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_present("masked_fill", x, mask);
  check_mask("masked_fill", mask);
  if (broadcast_shapes("masked_fill", x.shape(), mask.shape()) != x.shape())
    throw ShapeError("masked_fill: mask {} doesn't broadcast to {}", mask.shape(), x.shape());
  return where(mask, scalar(value, x.dtype()), x);
}

Tensor cast(const Tensor& x, DType dtype) {
  check_present("cast", x);
  if (x.dtype() == dtype) return x;
  const bool narrows = dtype == DType::bf16, widens = x.dtype() == DType::bf16;
  if ((narrows && x.dtype() != DType::f32) || (widens && dtype != DType::f32))
    return cast(cast(x, DType::f32), dtype);
  Tensor y = Tensor::empty(x.shape(), dtype);
  if (narrows || widens) {
    if (MetaTensors::is_alive()) return y;
    if (narrows) kernels<float>().narrow(y.mutable_data<Bf16>(), x.size(), x.data<float>());
    if (widens) kernels<float>().widen(y.mutable_data<float>(), x.size(), x.data<Bf16>());
    return y;
  }
  with_elements(x.dtype(), [&](auto from) {
    const auto* in = x.data<decltype(from)>();
    with_elements(dtype, [&](auto to) {
      using To = decltype(to);
      To* out = y.mutable_data<To>();
      for (Index i = 0; i < x.size(); ++i) {
        if (std::is_integral_v<To> && !(in[i] > -2147483649.0 && in[i] < 2147483648.0))
          throw ValueError("cast: element {} is {}, which doesn't fit an i32", i,
                           static_cast<double>(in[i]));
        out[i] = static_cast<To>(in[i]);
      }
    });
  });
  return record({"cast", {{"type", to_string(dtype)}}}, y, {x},
                [from = x.dtype()](const Tensor& dy) { return Grads{cast(dy, from)}; });
}

std::vector<Op> arithmetic_ops() {
  constexpr double inf = infinity;
  return {
      {"add", "y = a + b", {"da = dy", "db = dy"}, add, {"a", "b"}},
      {"sub", "y = a - b", {"da = dy", "db = -dy"}, sub, {"a", "b"}},
      {"mul", "y = a b", {"da = dy b", "db = dy a"}, mul, {"a", "b"}},
      {"div", "y = a / b", {"da = dy / b", "db = -dy y / b"}, div, {"a", "b"}},
      {"pow", "y = a^b", {"da = dy b a^(b - 1)", "db = dy y log(a)"}, pow, {"a", "b"}},
      {"maximum",
       "y = max(a, b)",
       {"da = dy where a > b", "db = dy where b > a, dy / 2 each where they are equal"},
       maximum,
       {"a", "b"}},
      {"minimum",
       "y = min(a, b)",
       {"da = dy where a < b", "db = dy where b < a, dy / 2 each where they are equal"},
       minimum,
       {"a", "b"}},
      {"neg", "y = -x", {"dx = -dy"}, neg, {"x"}},
      {"exp", "y = exp(x)", {"dx = dy y"}, exp, {"x"}},
      {"log", "y = log(x)", {"dx = dy / x"}, log, {"x"}},
      {"log1p", "y = log(1 + x)", {"dx = dy / (1 + x)"}, log1p, {"x"}},
      {"sqrt", "y = sqrt(x)", {"dx = dy / (2 y)"}, sqrt, {"x"}},
      {"abs", "y = |x|", {"dx = dy sign(x)"}, abs, {"x"}},
      {"sin", "y = sin(x)", {"dx = dy cos(x)"}, sin, {"x"}},
      {"cos", "y = cos(x)", {"dx = -dy sin(x)"}, cos, {"x"}},
      {"erf",
       "y = 2 / sqrt(pi) times the integral of exp(-t^2) for t from 0 to x",
       {"dx = dy 2 / sqrt(pi) exp(-x^2)"},
       erf,
       {"x"}},
      {"clamp",
       "y = min(max(x, low), high)",
       {"dx = dy where low <= x <= high, 0 elsewhere"},
       clamp,
       {"x", {"low", -inf}, {"high", inf}}},
      {"where",
       "y = a where the mask is true, b elsewhere",
       {"da = dy where the mask is true", "db = dy elsewhere"},
       where,
       {mask("mask"), "a", "b"}},
      {"masked_fill",
       "y = value where the mask is true, x elsewhere",
       {"dx = 0 where the mask is true, dy elsewhere"},
       masked_fill,
       {"x", mask("mask"), "value"}},
      {"cast",
       "y = x, rounded to the nearest number of another type; a cast to i32 truncates",
       {"dx = dy in x's type"},
       cast,
       {"x", {"type", "f64"}}},
  };
}

}  // namespace tapehead
