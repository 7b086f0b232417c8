#include "elementwise.hpp"
#include "../ops.hpp"

#include <algorithm>

namespace tapehead {

Broadcast::Broadcast(const char* op, const Shape& a, const Shape& b)
    : shape(broadcast_shapes(op, a, b)) {
  const Shape a_strides = broadcast_strides(a, shape), b_strides = broadcast_strides(b, shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Index n = shape[axis];
    if (n == 1) continue;
    const bool contiguous =
        sizes.rank() > 0 && as[-1] == a_strides[axis] * n && bs[-1] == b_strides[axis] * n;
    if (contiguous) {
      sizes[-1] *= n;
      as[-1] = a_strides[axis];
      bs[-1] = b_strides[axis];
    } else {
      sizes.push_back(n);
      as.push_back(a_strides[axis]);
      bs.push_back(b_strides[axis]);
    }
  }
  if (sizes.rank() == 0) {
    sizes = {1};
    as = {1};
    bs = {1};
  }
}

void check_mask(const char* op, const Tensor& mask) {
  if (mask.dtype() != DType::i32)
    throw TypeError("{}: the mask is {}, expected i32; make one by comparing, as in mask > 0", op,
                    mask.dtype());
  with_elements(DType::i32, [&](auto) {
    const std::int32_t *const first = mask.data<std::int32_t>(), *const end = first + mask.size();
    std::int32_t bits = 0;
    for (const std::int32_t* element = first; element < end; ++element) bits |= *element;
    if (bits == 0 || bits == 1) return;
    const auto* const other =
        std::find_if(first, end, [](std::int32_t element) { return element != 0 && element != 1; });
    throw ValueError("{}: the mask has {} at position {}, expected 0 or 1", op, *other,
                     other - first);
  });
}

Tensor spread(const Tensor& x, const Shape& shape) {
  const Pause pause;
  return x.shape() == shape ? x : broadcast_to(x, shape);
}

Tensor map_i32(const char* op, const Tensor& a, const Tensor& b, Index (*f)(Index, Index)) {
  const Broadcast plan(op, a.shape(), b.shape());
  const Index as = plan.as[-1], bs = plan.bs[-1];
  Tensor y = Tensor::empty(plan.shape, DType::i32);
  const auto row = [&](Index at, Index i, Index j) {
    const std::int32_t *left = a.data<std::int32_t>() + i, *right = b.data<std::int32_t>() + j;
    std::int32_t* out = y.mutable_data<std::int32_t>() + at;
    for (Index n = plan.sizes[-1]; n > 0; --n, left += as, right += bs) {
      const Index result = f(*left, *right);
      *out = static_cast<std::int32_t>(result);
      if (*out++ != result)
        throw ValueError("{}: {} and {} give {}, which doesn't fit an i32", op, *left, *right,
                         result);
    }
  };
  with_elements(DType::i32, [&](auto) { plan.rows(row); });
  return y;
}

Tensor passed(const Tensor& dy, const Tensor& mask, const Tensor& x) {
  // masked_fill sets all elements of x except NaN to 0, because equal(x, x) is 1 except for NaN.
  return where(mask, dy, masked_fill(x.detached(), equal(x, x), 0));
}

Tensor accumulated(Tensor x, const Tensor* other, const Tensor* const end) {
  if (other == end) return x;
  if (x.shared()) x = x + *other++;
  with_floats("backward", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const sum = x.mutable_data<T>();
    parallel_elements(x.size(), [&](Index first, Index last) {
      std::vector<const T*> rows;
      for (const Tensor* next = other; next != end; ++next) rows.push_back(next->data<T>() + first);
      kernels<T>().accumulate(sum + first, last - first, rows.data(),
                              static_cast<Index>(rows.size()));
    });
  });
  return x;
}

}  // namespace tapehead
