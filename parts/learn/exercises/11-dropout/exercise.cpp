// Exercise 11: dropout. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: p = 0.2, x = (@1101@, @1102@), kept = (1, 0), dy = (@1103@, @1104@)
struct ByHand {
  double y0, y1, dx0, dx1;
  double mean_of_y0;  // mean of y0 over many random masks
};
ByHand by_hand() {
  ByHand n{};
  n.y0 = todo;
  n.y1 = todo;
  n.dx0 = todo;
  n.dx1 = todo;
  n.mean_of_y0 = todo;
  return n;
}

/// Returns a random mask: 1 where an element is kept, else 0. Equal keys give equal masks.
Tensor kept_mask(const Shape& shape, double p, const RandomKey& key) {
  return cast(dropout(ones(shape, DType::f64), p, key) > 0, DType::f64);
}

// ---- values, gradient, and evaluation
Tensor my_dropout(const Tensor& x, double p, const RandomKey& key, bool training) {
  const Tensor y = todo;  // compute it from x.detached()
  return record("my_dropout", y, {x}, [=](const Tensor& dy) {
    const Tensor dx = todo;
    return Grads{dx};
  });
}
