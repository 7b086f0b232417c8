// Exercise 15: forward mode. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: tangents of y = a b + a a with a = @1501@, b = @1502@, along da = 1 and db = 2
struct ByHand {
  double ab, aa, y;
  double walks;  // forward runs for all derivatives of a function from 12 numbers to 5
};
ByHand by_hand() {
  ByHand n{};
  n.ab = todo;
  n.aa = todo;
  n.y = todo;
  n.walks = todo;
  return n;
}

// ---- dual: a value and its tangent
struct Dual {
  double value, tangent;
};
Dual sum(Dual a, Dual b) {
  const double tangent = todo;
  return {a.value + b.value, tangent};
}
Dual product(Dual a, Dual b) {
  const double tangent = todo;
  return {a.value * b.value, tangent};
}
Dual exponential(Dual a) {
  const double tangent = todo;
  return {std::exp(a.value), tangent};
}

// ---- from backward: the tangent of f(x) along w, computed with two tapes
Tensor forward(const std::function<Tensor(const Tensor& x)>& f, const Tensor& x, const Tensor& w) {
  Tape tape;
  tape.watch(x);
  const Tensor y = f(x);
  const Tensor v = zeros(y.shape(), y.dtype());
  Tape second;
  second.watch(v);
  const Tensor dx = todo;  // from `tape`: gradient of x, where y has the gradient v
  return todo;             // from `second`: gradient of v, where the loss is sum(dx * w)
}
