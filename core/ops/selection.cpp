// Ops that compare elements and choose between them.
#include "../ops.hpp"
#include "../trace.hpp"
#include "elementwise.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Broadcasts x to `shape`, unrecorded.
Tensor spread(const Tensor& x, const Shape& shape) {
  const Pause pause;
  return x.shape() == shape ? x : broadcast_to(x, shape);
}

/// i32: f(a, b), element by element, as 0 or 1.
template <class F>
Tensor compare(const char* op, const Tensor& a, const Tensor& b, F f) {
  check_same_type(op, a, b);
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  const Tensor lefts = spread(a, shape), rights = spread(b, shape);
  Tensor y = Tensor::empty(shape, DType::i32);
  dispatch(a.dtype(), [&](auto zero) {
    const auto *left = lefts.data<decltype(zero)>(), *right = rights.data<decltype(zero)>();
    std::transform(left, left + y.size(), right, y.mutable_data<std::int32_t>(), f);
  });
  if (TapeListener* const listener = Listening::current()) listener->compared(op, y, a, b);
  return y;
}

/// The gradient of operand x, taken where the mask is true; a tie gives each operand half.
Tensor taken(const Tensor& dy, const Tensor& mask, const Tensor& tie, const Tensor& x) {
  return where(tie, dy * 0.5, passed(dy, mask, x));
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) {
  return compare("equal", a, b, [](auto x, auto y) { return x == y; });
}

Tensor less(const Tensor& a, const Tensor& b) {
  return compare("less", a, b, [](auto x, auto y) { return x < y; });
}

Tensor less_equal(const Tensor& a, const Tensor& b) {
  return compare("less_equal", a, b, [](auto x, auto y) { return x <= y; });
}

Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b) {
  check_present("where", mask, a, b);
  check_mask("where", mask);
  check_same_type("where", a, b);
  const Shape values = broadcast_shapes("where", a.shape(), b.shape());
  const Shape shape = broadcast_shapes("where", mask.shape(), values);
  const Tensor masks = spread(mask, shape), lefts = spread(a, shape), rights = spread(b, shape);
  Tensor y = Tensor::empty(shape, a.dtype());
  dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *left = lefts.data<T>(), *right = rights.data<T>();
    const std::int32_t* m = masks.data<std::int32_t>();
    T* out = y.mutable_data<T>();
    for (Index i = 0; i < y.size(); ++i) {
      const T x = left[i], z = right[i];  // read both, so that no branch is needed
      out[i] = m[i] ? x : z;
    }
  });
  notify_call(mask);
  return record("where", y, {a, b}, [=](const Tensor& dy) {
    const Tensor zero = scalar(0, dy.dtype());
    return Grads{where(mask, dy, zero), where(mask, zero, dy)};
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_present("masked_fill", x, mask);
  check_mask("masked_fill", mask);
  if (broadcast_shapes("masked_fill", x.shape(), mask.shape()) != x.shape())
    throw ShapeError("masked_fill: the mask {} is larger than {}", mask.shape(), x.shape());
  return where(mask, scalar(value, x.dtype()), x);
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

Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high))
    throw ValueError("clamp: low is {} and high {}, and low must be at most high", low, high);
  if (x && x.dtype() == DType::i32) {
    const Tensor raised = low > -infinity ? maximum(x, number(low, x)) : x;
    return high < infinity ? minimum(raised, number(high, x)) : raised;
  }
  Tensor y = map(
      "clamp", x, [](auto& k) { return k.clamp; }, low, high);
  notify_call(low, high);
  return record("clamp", y, {x}, [=](const Tensor& dy) {
    return Grads{masked_fill(passed(dy, x >= low, x), x > high, 0)};
  });
}

Tensor cast(const Tensor& x, DType dtype) {
  check_present("cast", x);
  if (x.dtype() == dtype) return x;
  const bool narrows = dtype == DType::bf16, widens = x.dtype() == DType::bf16;
  if ((narrows && x.dtype() != DType::f32) || (widens && dtype != DType::f32))
    return cast(cast(x, DType::f32), dtype);
  Tensor y = Tensor::empty(x.shape(), dtype);
  if (narrows || widens) {
    if (Outline::is_alive()) return y;
    if (narrows) kernels<float>().narrow(y.mutable_data<Bf16>(), x.size(), x.data<float>());
    if (widens) kernels<float>().widen(y.mutable_data<float>(), x.size(), x.data<Bf16>());
    return y;
  }
  dispatch(x.dtype(), [&](auto from) {
    const auto* in = x.data<decltype(from)>();
    dispatch(dtype, [&](auto to) {
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
  return record("cast", y, {x},
                [from = x.dtype()](const Tensor& dy) { return Grads{cast(dy, from)}; });
}

}  // namespace tapehead
