// Exercise 15: forward mode. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: y = a b + a a with a = @1501@ and b = @1502@, along da = 1 and db = 2
struct ByHand {
  double ab, aa, y;
  double walks;  // forward runs for a function of 12 numbers that returns 5
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

// ---- from backward: the tangent of f(x) along w
Tensor forward(const std::function<Tensor(const Tensor& x)>& f, const Tensor& x, const Tensor& w) {
  Tape tape;
  tape.watch(x);
  const Tensor y = f(x);
  const Tensor v = zeros(y.shape(), y.dtype());
  Tape second;
  second.watch(v);
  const Tensor dx = todo;  // gradient of x from `tape`, for the gradient v of y
  return todo;             // gradient of v from `second`, for sum(dx * w)
}
