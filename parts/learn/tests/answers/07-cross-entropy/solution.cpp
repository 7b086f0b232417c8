#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double p0, p1, loss, dx0, dx1;
};
ByHand by_hand() {
  const double a = learn::size(701), b = learn::size(702);
  ByHand n{};
  n.p0 = a / (a + b);
  n.p1 = b / (a + b);
  n.loss = -std::log(n.p0);
  n.dx0 = n.p0 - 1;
  n.dx1 = n.p1;
  return n;
}

Tensor loss_value(const Tensor& x, const Tensor& targets, const Tensor& mask) {
  const Tensor target = one_hot(targets, x.dim(1), x.dtype());
  const Tensor m = amax(x, {1}, true);
  const Tensor log_sum = log(sum(exp(x - m), {1})) + reshape(m, {-1});
  const Tensor losses = log_sum - sum(x * target, {1});
  return sum(losses * mask) / sum(mask);
}

Tensor my_cross_entropy(const Tensor& x, const Tensor& targets, const Tensor& mask) {
  const Tensor y = loss_value(x.detached(), targets, mask);
  return record("my_cross_entropy", y, {x}, [=](const Tensor& dy) {
    const Tensor p = softmax(x);
    const Tensor target = one_hot(targets, x.dim(1), x.dtype());
    const Tensor dx = dy * (p - target) * reshape(mask, {-1, 1}) / sum(mask);
    return Grads{dx};
  });
}
