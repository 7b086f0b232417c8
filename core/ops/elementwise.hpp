#pragma once
// Functions that call an element-wise kernel for whole tensors.
#include "../dispatch.hpp"
#include "../kernels/kernels.hpp"
#include "../runtime/parallel.hpp"

namespace tapehead {

/// Returns the sum of x and the tensors in [other, end), added in this order. Overwrites x if no
/// other handle shares its elements.
Tensor accumulated(Tensor x, const Tensor* other, const Tensor* end);

/// Returns the gradient of x for an op that selects x where the mask is 1. It is dy there, NaN
/// where x is NaN (where the mask must be 0), and 0 elsewhere.
Tensor passed(const Tensor& dy, const Tensor& mask, const Tensor& x);

/// Throws TypeError if the mask isn't i32, and ValueError if an element is neither 0 nor 1.
void check_mask(const char* op, const Tensor& mask);

/// Broadcasts x to `shape`. No tape records it.
Tensor spread(const Tensor& x, const Shape& shape);

inline bool are_i32(const Tensor& a, const Tensor& b) {
  return a && b && a.dtype() == DType::i32 && b.dtype() == DType::i32;
}
/// Computes f(a, b) for i32 tensors with broadcasting. No tape records it. f computes in 64 bits.
/// Throws ValueError if a result doesn't fit an i32.
Tensor map_i32(const char* op, const Tensor& a, const Tensor& b, Index (*f)(Index, Index));

/// Computes y = f(x) with a kernel: `map("exp", x, [](auto& k) { return k.exp; })`. Passes `others`
/// to the kernel after x.
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

/// The loops over two broadcast operands a and b. Adjacent axes are merged where both operands are
/// contiguous. Strides are in elements, 0 along a broadcast axis.
struct Broadcast {
  Broadcast(const char* op, const Shape& a, const Shape& b);

  Shape shape;          // shape of the result
  Shape sizes, as, bs;  // sizes of the merged axes (at least one), strides of a and b

  /// Calls row(offset in y, offset in a, offset in b) for each row along the last merged axis.
  template <class Row>
  void rows(Row row) const {
    const Index n = sizes[-1];
    const int outer = sizes.rank() - 1;
    if (shape.size() == 0) return;
    Shape at = sizes;  // current index along each outer axis
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

/// Computes y = f(a, b) with a kernel. y, a and b have the same shape and type; y may be a.
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

/// Computes y = f(a, b) with a kernel and broadcasting.
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

/// Computes y = f(a, b) with broadcasting. If a and b have the same shape and type and no other
/// handle shares a's elements, overwrites a; the result shares a's elements.
template <class Kernel>
Tensor broadcast(const char* op, Tensor&& a, const Tensor& b, Kernel kernel) {
  check_present(op, a, b);
  if (a.shared() || a.dtype() != b.dtype() || a.shape() != b.shape())
    return broadcast(op, static_cast<const Tensor&>(a), b, kernel);
  pairwise(op, a, a, b, kernel);
  return a.detached();
}

}  // namespace tapehead
