#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double db0, db1, ds;
};
ByHand by_hand() {
  using learn::whole;
  ByHand n{};
  n.db0 = whole(301) + whole(303);
  n.db1 = whole(302) + whole(304);
  n.ds = n.db0 + n.db1;
  return n;
}

Tensor bias_gradient(const Tensor& dy) { return sum(dy, {0}); }

Tensor scale_gradient(const Tensor& x, const Tensor& dy) { return sum(dy * x, {1}, true); }

Tensor summed_to(const Tensor& dy, const Shape& shape) {
  Tensor total = dy;
  while (total.rank() > shape.rank()) total = sum(total, {0});
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == 1 && total.dim(axis) != 1) total = sum(total, {axis}, true);
  return total;
}
