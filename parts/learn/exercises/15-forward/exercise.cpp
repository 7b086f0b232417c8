// Exercise 15: forward. exercise.md has the task; fill each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: y = a b + a a with a = @1501@ and b = @1502@, along da = 1 and db = 2
struct ByHand {
  double ab, aa, y;
  double walks;  // of a function of 12 numbers that gives 5
};
ByHand by_hand() {
  ByHand n{};
  n.ab = todo;
  n.aa = todo;
  n.y = todo;
  n.walks = todo;
  return n;
}

// ---- dual: a value, and its tangent
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

// ---- from backward: how f(x) changes along w
Tensor forward(const std::function<Tensor(const Tensor& x)>& f, const Tensor& x, const Tensor& w) {
  Tape tape;
  tape.watch(x);
  const Tensor y = f(x);
  const Tensor v = zeros(y.shape(), y.dtype());
  Tape second;
  second.watch(v);
  const Tensor dx = todo;  // what `tape` gives x for the gradient v of y
  return todo;             // what `second` gives v for the number sum(dx * w)
}
