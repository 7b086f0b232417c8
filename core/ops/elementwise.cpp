#include "elementwise.hpp"
#include "../ops.hpp"

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

Tensor passed(const Tensor& dy, const Tensor& mask, const Tensor& x) {
  return where(mask, dy, masked_fill(x.detached(), equal(x, x), 0));
}

Tensor accumulated(Tensor x, const Tensor* other, const Tensor* const end) {
  if (other == end) return x;
  if (x.shared()) x = x + *other++;
  dispatch_float("backward", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const sum = x.mutable_data<T>();
    in_pieces(x.size(), [&](Index first, Index last) {
      const Tensor* next = other;
      const auto of = [&](const Tensor& t) { return t.data<T>() + first; };
      // Three at a time, the usual number for the shards of a batch: x is read and written once for
      // all three.
      for (; end - next >= 3; next += 3)
        add_row(sum + first, last - first, of(next[0]), of(next[1]), of(next[2]));
      for (; next != end; ++next) add_row(sum + first, last - first, of(*next));
    });
  });
  return x;
}

}  // namespace tapehead
