// Exercise 13: Adam and a training loop. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: g = @1301@, lr = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 0, the first step
struct ByHand {
  double m, v, m1, v1;  // m1 and v1 are m' and v'
  double change;        // change of p
};
ByHand by_hand() {
  ByHand n{};
  n.m = todo;
  n.v = todo;
  n.m1 = todo;
  n.v1 = todo;
  n.change = todo;
  return n;
}

// ---- adam
struct Adam {
  double lr = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  int t = 0;    // steps taken
  Tensor m, v;  // zeros before the first step

  /// Returns the parameter's new value.
  Tensor step(const Tensor& p, const Tensor& g) {
    if (t == 0) m = v = zeros(p.shape(), p.dtype());
    t = todo;
    m = todo;
    v = todo;
    return todo;  // use std::pow(beta1, t) and sqrt(tensor)
  }
};

// ---- loop: x (rows, in), t (rows, out), w (in, out). The loss is mse(matmul(x, w), t).
std::vector<double> train(Tensor& w, const Tensor& x, const Tensor& t, Adam& adam, int steps) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    // Make a tape that watches w, compute the loss and its gradient, and assign a new w.
    const Tensor loss = todo;
    losses.push_back(loss.item());
    w = todo;
  }
  return losses;
}
