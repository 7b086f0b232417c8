// Exercise 13: Adam and a training loop. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: first step with g = @1301@, lr = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 0
struct ByHand {
  double m, v, m1, v1;  // m1 and v1 are m' and v'
  double change;        // difference of p after and before the step
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
  int t = 0;    // number of steps taken
  Tensor m, v;  // zeros before the first step

  /// Returns the new value of parameter p for the gradient g.
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
    // Make a tape that watches w. Compute the loss and its gradient, and set w to its new value.
    const Tensor loss = todo;
    losses.push_back(loss.item());
    w = todo;
  }
  return losses;
}
