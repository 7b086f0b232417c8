#include "elementwise.hpp"

namespace tapehead {

Broadcast::Broadcast(const char* op, const Shape& a, const Shape& b)
    : shape(broadcast_shapes(op, a, b)) {
  const Shape a_strides = broadcast_strides(a, shape), b_strides = broadcast_strides(b, shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Index n = shape[axis];
    if (n == 1) continue;
    const bool runs_on =
        sizes.rank() > 0 && as[-1] == a_strides[axis] * n && bs[-1] == b_strides[axis] * n;
    if (runs_on)
      sizes[-1] *= n, as[-1] = a_strides[axis], bs[-1] = b_strides[axis];
    else
      sizes.push_back(n), as.push_back(a_strides[axis]), bs.push_back(b_strides[axis]);
  }
  if (sizes.rank() == 0) sizes = {1}, as = {1}, bs = {1};
}

}  // namespace tapehead
