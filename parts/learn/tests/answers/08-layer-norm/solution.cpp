#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double mean, r, n0, n3;
  double dx0, dx1, dx2, dx3;
};
ByHand by_hand() {
  const double c = 2 * learn::size(801), d = learn::given(802);
  ByHand n{};
  n.mean = c / 2;
  n.r = c / 2;
  n.n0 = -1;
  n.n3 = 1;
  const double mean = d / 4, slope = -d / 4;  // means of dn and of dn n
  n.dx0 = (d - mean + slope) / n.r;
  n.dx1 = (-mean + slope) / n.r;
  n.dx2 = (-mean - slope) / n.r;
  n.dx3 = (-mean - slope) / n.r;
  return n;
}

Tensor root(const Tensor& x, double epsilon) { return sqrt(var(x, {-1}, true) + epsilon); }
Tensor normalised(const Tensor& x, double epsilon) {
  return (x - mean(x, {-1}, true)) / root(x, epsilon);
}

Tensor gain_gradient(const Tensor& dy, const Tensor& n) { return dy * n; }
Tensor bias_gradient(const Tensor& dy, const Tensor& n) { return dy; }

Tensor input_gradient(const Tensor& dn, const Tensor& n, const Tensor& r) {
  return (dn - mean(dn, {-1}, true) - n * mean(dn * n, {-1}, true)) / r;
}

Tensor my_layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  const Tensor n = normalised(x.detached(), epsilon), r = root(x.detached(), epsilon);
  const Tensor y = n * gain.detached() + bias.detached();
  return record("my_layer_norm", y, {x, gain, bias}, [=](const Tensor& dy) {
    return Grads{input_gradient(dy * gain, n, r), gain_gradient(dy, n), bias_gradient(dy, n)};
  });
}
