// Exercise 5: ReLU and kinks. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: x = (@s501@, -@s502@, @s503@), dy = (@504@, @505@, @506@)
struct ByHand {
  double dx0, dx1, dx2;
};
ByHand by_hand() {
  ByHand n{};
  n.dx0 = todo;
  n.dx1 = todo;
  n.dx2 = todo;
  return n;
}

// ---- relu, and kink
Tensor my_relu(const Tensor& x) {
  const Tensor y = todo;  // compute it from x.detached()
  return record("my_relu", y, {x}, [=](const Tensor& dy) {
    const Tensor dx = todo;
    return Grads{dx};
  });
}

/// Returns the central difference of f at x, which evaluates f at x - h and x + h.
double central_difference(const std::function<double(double)>& f, double x, double h) {
  return todo;
}

// ---- maximum: a and b of the same shape
Tensor my_maximum(const Tensor& a, const Tensor& b) {
  const Tensor y = maximum(a.detached(), b.detached());
  return record("my_maximum", y, {a, b}, [=](const Tensor& dy) {
    const Tensor da = todo;
    const Tensor db = todo;
    return Grads{da, db};
  });
}
