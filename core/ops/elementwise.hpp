#pragma once
// The element-wise ops: which elements a kernel works on.
#include "../dispatch.hpp"
#include "../kernels/kernels.hpp"
#include "../runtime/parallel.hpp"

namespace tapehead {

/// The sum of x and the tensors from `other` to `end`, added in order; in the memory of x if
/// nothing else refers to it.
Tensor accumulated(Tensor x, const Tensor* other, const Tensor* end);

/// The gradient of what an op passed on where the mask is true: dy there, 0 elsewhere. Where x is
/// NaN, so is the result, and the gradient is NaN too. The mask must be false there.
Tensor passed(const Tensor& dy, const Tensor& mask, const Tensor& x);

/// Throws TypeError if the mask isn't i32, ValueError if an element is neither 0 nor 1.
void check_mask(const char* op, const Tensor& mask);

/// Broadcasts x to `shape`, unrecorded.
Tensor spread(const Tensor& x, const Shape& shape);

/// Whether both are i32.
inline bool are_i32(const Tensor& a, const Tensor& b) {
  return a && b && a.dtype() == DType::i32 && b.dtype() == DType::i32;
}
/// i32: f(a, b), element by element, broadcasting; not recorded. f computes in 64 bits, and a
/// result that doesn't fit an i32 throws ValueError.
Tensor map_i32(const char* op, const Tensor& a, const Tensor& b, Index (*f)(Index, Index));

/// y = f(x), by a kernel: `map("exp", x, [](auto& k) { return k.exp; })`. Others are arguments that
/// the kernel takes after x.
template <class Kernel, class... Other>
Tensor map(const char* op, const Tensor& x, Kernel kernel, Other... others) {
  check_present(op, x);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  with_floats(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    const T* in = x.data<T>();
    parallel_elements(x.size(), [&](Index first, Index end) {
      kernel(kernels<T>())(out + first, end - first, in + first, others...);
    });
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

/// y = f(a, b), by a kernel, where all have one shape and type; y may have the memory of a.
template <class Kernel>
void pairwise(const char* op, Tensor& y, const Tensor& a, const Tensor& b, Kernel kernel) {
  with_floats(op, y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const out = y.mutable_data<T>();
    const T *left = a.data<T>(), *right = b.data<T>();
    parallel_elements(y.size(), [&](Index first, Index end) {
      kernel(kernels<T>())(out + first, end - first, left + first, 1, right + first, 1);
    });
  });
}

/// y = f(a, b), by a kernel, broadcasting.
template <class Kernel>
Tensor broadcast(const char* op, const Tensor& a, const Tensor& b, Kernel kernel) {
  check_same_type(op, a, b);
  if (a.shape() == b.shape()) {
    Tensor y = Tensor::empty(a.shape(), a.dtype());
    pairwise(op, y, a, b, kernel);
    return y;
  }
  const Broadcast plan(op, a.shape(), b.shape());
  Tensor y = Tensor::empty(plan.shape, a.dtype());
  with_floats(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    const T *left = a.data<T>(), *right = b.data<T>();
    const Index as = plan.as[-1], bs = plan.bs[-1];
    plan.rows([&](Index at, Index i, Index j) {
      parallel_elements(plan.sizes[-1], [&](Index first, Index end) {
        kernel(kernels<T>())(out + at + first, end - first, left + i + first * as, as,
                             right + j + first * bs, bs);
      });
    });
  });
  return y;
}

/// y = f(a, b). If a and b have the same shape and type and nothing else holds a, y takes over the
/// memory of a: `a` and the result then share the elements.
template <class Kernel>
Tensor broadcast(const char* op, Tensor&& a, const Tensor& b, Kernel kernel) {
  check_present(op, a, b);
  if (a.shared() || a.dtype() != b.dtype() || a.shape() != b.shape())
    return broadcast(op, static_cast<const Tensor&>(a), b, kernel);
  pairwise(op, a, a, b, kernel);
  return a.detached();
}

}  // namespace tapehead
