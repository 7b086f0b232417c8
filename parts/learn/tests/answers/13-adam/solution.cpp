#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double m, v, m1, v1;
  double change;
};
ByHand by_hand() {
  const double g = learn::given(1301);
  ByHand n{};
  n.m = 0.1 * g;
  n.v = 0.01 * g * g;
  n.m1 = g;
  n.v1 = g * g;
  n.change = g > 0 ? -0.1 : 0.1;
  return n;
}

struct Adam {
  double lr = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  int t = 0;
  Tensor m, v;

  Tensor step(const Tensor& p, const Tensor& g) {
    if (t == 0) m = v = zeros(p.shape(), p.dtype());
    t = t + 1;
    m = m * beta1 + g * (1 - beta1);
    v = v * beta2 + g * g * (1 - beta2);
    const Tensor m1 = m / (1 - std::pow(beta1, t)), v1 = v / (1 - std::pow(beta2, t));
    return p - lr * m1 / (sqrt(v1) + epsilon);
  }
};

std::vector<double> train(Tensor& w, const Tensor& x, const Tensor& t, Adam& adam, int steps) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    Tape tape;
    tape.watch(w);
    const Tensor loss = mse(matmul(x, w), t);
    losses.push_back(loss.item());
    w = adam.step(w, tape.backward(loss)[w]);
  }
  return losses;
}
