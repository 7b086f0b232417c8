#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double y0, y1, dx0, dx1;
};
ByHand by_hand() {
  const double a = learn::size(601), b = learn::size(602);
  const double dy0 = learn::given(603), dy1 = learn::given(604);
  ByHand n{};
  n.y0 = a / (a + b);
  n.y1 = b / (a + b);
  const double mean = dy0 * n.y0 + dy1 * n.y1;
  n.dx0 = n.y0 * (dy0 - mean);
  n.dx1 = n.y1 * (dy1 - mean);
  return n;
}

Tensor softmax_values(const Tensor& x) {
  const Tensor e = exp(x - amax(x, {-1}, true));
  return e / sum(e, {-1}, true);
}

Tensor my_softmax(const Tensor& x) {
  const Tensor y = softmax_values(x.detached());
  return record("my_softmax", y, {x},
                [=](const Tensor& dy) { return Grads{y * (dy - sum(dy * y, {-1}, true))}; });
}
