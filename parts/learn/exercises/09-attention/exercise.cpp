// Exercise 9: attention with a mask. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: q = (@w901@, @w902@, 0, 0), k0 = (1, 0, 0, 0), k1 = (0, 1, 0, 0);
//      k2 = (5, 5, 5, 5) is hidden
struct ByHand {
  double score0, score1;
  double weight0, weight1, weight2;
};
ByHand by_hand() {
  ByHand n{};
  n.score0 = todo;
  n.score1 = todo;
  n.weight0 = todo;
  n.weight1 = todo;
  n.weight2 = todo;
  return n;
}

// ---- mask: 1 where query i may attend to key j; the last query attends to all keys
Tensor my_causal_mask(Index queries, Index keys) {  // -> (queries, keys)
  return todo;
}

// ---- attention, and empty row: q (batch, heads, queries, d), k (batch, heads, keys, d),
//      v (batch, heads, keys, d), mask (queries, keys) -> (batch, heads, queries, d)
Tensor my_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  const double d = static_cast<double>(q.dim(-1));
  const Tensor scores = todo;  // (batch, heads, queries, keys)
  const Tensor weights = todo;
  return todo;
}
