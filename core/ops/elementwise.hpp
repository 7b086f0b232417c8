#pragma once
// The loops of the element-wise ops. f is a generic lambda over registers.
#include "../kernels/simd.hpp"
#include "../runtime/parallel.hpp"
#include "../tensor.hpp"

namespace tapehead {

/// The sum of x and the tensors from `other` to `end`, added in order; in the memory of x if
/// nothing else refers to it.
Tensor accumulated(Tensor x, const Tensor* other, const Tensor* end);

/// The gradient of what an op passed on where the mask is true: dy there, 0 elsewhere. Where x is
/// NaN, so is the result, and the gradient is NaN too. The mask must be false there.
Tensor passed(const Tensor& dy, const Tensor& mask, const Tensor& x);

/// y = f(x).
template <class F>
Tensor map(const char* op, const Tensor& x, F f) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    const T* in = x.data<T>();
    in_pieces(x.size(),
              [&](Index first, Index end) { map_row(out + first, end - first, f, in + first); });
  });
  return y;
}

/// How two operands are walked along the axes of their common shape. Adjacent axes are merged where
/// both operands are contiguous. Strides are in elements, 0 along a broadcast axis.
struct Broadcast {
  Broadcast(const char* op, const Shape& a, const Shape& b);

  Shape shape;          // of the result
  Shape sizes, as, bs;  // merged axes, at least one: sizes and strides

  /// Calls row(y offset, a offset, b offset) for each row along the last merged axis.
  template <class Row>
  void rows(Row row) const {
    const Index n = sizes[-1];
    const int outer = sizes.rank() - 1;
    if (shape.size() == 0) return;
    Shape at = sizes;  // position on the outer axes
    for (int axis = 0; axis < outer; ++axis) at[axis] = 0;
    for (Index y = 0, a = 0, b = 0;; y += n) {
      row(y, a, b);
      int axis = outer - 1;
      for (; axis >= 0; --axis) {
        a += as[axis];
        b += bs[axis];
        if (++at[axis] < sizes[axis]) break;
        a -= as[axis] * sizes[axis];
        b -= bs[axis] * sizes[axis];
        at[axis] = 0;
      }
      if (axis < 0) return;
    }
  }
};

/// y = f(a, b), broadcasting.
template <class F>
Tensor broadcast(const char* op, const Tensor& a, const Tensor& b, F f) {
  check_same_type(op, a, b);
  const Broadcast plan(op, a.shape(), b.shape());
  Tensor y = Tensor::empty(plan.shape, a.dtype());
  dispatch_float(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    const T *left = a.data<T>(), *right = b.data<T>();
    const Index n = plan.sizes[-1];
    plan.rows([&](Index at, Index i, Index j) {
      if (plan.as[-1] == 0) {
        const Vec<T> x(left[i]);
        map_row(
            out + at, n, [&](auto v) { return f(x, v); }, right + j);
      } else if (plan.bs[-1] == 0) {
        const Vec<T> x(right[j]);
        map_row(
            out + at, n, [&](auto v) { return f(v, x); }, left + i);
      } else {
        in_pieces(n, [&](Index first, Index end) {
          map_row(out + at + first, end - first, f, left + i + first, right + j + first);
        });
      }
    });
  });
  return y;
}

/// y = f(a, b). If a and b have the same shape and type and nothing else holds a, y takes over the
/// memory of a: `a` and the result then share the elements.
template <class F>
Tensor broadcast(const char* op, Tensor&& a, const Tensor& b, F f) {
  if (a.shared() || a.dtype() != b.dtype() || a.shape() != b.shape())
    return broadcast(op, static_cast<const Tensor&>(a), b, f);
  dispatch_float(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const y = a.mutable_data<T>();
    const T* const x = b.data<T>();
    in_pieces(a.size(), [&](Index first, Index end) {
      map_row(y + first, end - first, f, static_cast<const T*>(y + first), x + first);
    });
  });
  return a.detached();
}

}  // namespace tapehead
