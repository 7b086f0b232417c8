// Exercise 3: broadcasting. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: dy = [[@w301@, @w302@], [@w303@, @w304@]], y = x + b + s
struct ByHand {
  double db0, db1, ds;
};
ByHand by_hand() {
  ByHand n{};
  n.db0 = todo;
  n.db1 = todo;
  n.ds = todo;
  return n;
}

// ---- bias: y = x + b
Tensor bias_gradient(const Tensor& dy) {  // (rows, columns) -> (columns)
  return todo;
}

// ---- scale: y = x c
Tensor scale_gradient(const Tensor& x, const Tensor& dy) {  // (rows, columns) -> (rows, 1)
  return todo;
}

// ---- any shape: dy (...) -> shape
Tensor summed_to(const Tensor& dy, const Shape& shape) {
  // Use dy.rank(), shape.rank() and shape[axis] to find the repeated axes.
  return todo;
}
