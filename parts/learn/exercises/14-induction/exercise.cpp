// Exercise 14: an induction head and a transformer block. The task is in exercise.md. Replace each
// `todo`.
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

// ---- block: norm, attention and mlp map (batch, time, width) to the same shape
using Part = std::function<Tensor(const Tensor&)>;
Tensor block(const Tensor& x, const Part& norm, const Part& attention, const Part& mlp) {
  const Tensor h = todo;
  return todo;
}
