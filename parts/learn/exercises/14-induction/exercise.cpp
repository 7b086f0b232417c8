// Exercise 14: an induction head. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- previous: (batch, time, width) -> same
Tensor previous(const Tensor& x) {
  // Use slice(x, axis, begin, end) and pad(x, axis, before, after).
  return todo;
}

// ---- induction: one-hot rows (batch, time, vocabulary) -> same
Tensor induction(const Tensor& x) {
  const Tensor mask = tril_mask(x.dim(1), x.dim(1));  // 1 where a query may attend to a key
  const Tensor q = todo, k = todo, v = todo;
  const Tensor scores = todo;  // (batch, time, time), multiplied by 100
  return todo;
}
