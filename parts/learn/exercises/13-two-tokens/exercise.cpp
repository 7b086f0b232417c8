// Exercise 13: attention for two tokens. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: d = 4, q = (@s1301@, 1, @s1302@, 0), k0 = (1, 1, 0, 0), k1 = (0, -1, 1, 2);
//      v0 = @1303@, v1 = @1304@, dy = 2
struct ByHand {
  double dot0, dot1;
  double w0, w1, y;
  double first;  // the first token's output, with a causal mask
  double leak;   // w0 if -1000 is added to both scores
  double dv0, dv1;
  double ds0, ds1;
  double dq0, dk10;  // first elements of dq and dk1
  double unscaled;   // ds0 without the division by sqrt(d)
};
ByHand by_hand() {
  ByHand n{};
  n.dot0 = todo;
  n.dot1 = todo;
  n.w0 = todo;
  n.w1 = todo;
  n.y = todo;
  n.first = todo;
  n.leak = todo;
  n.dv0 = todo;
  n.dv1 = todo;
  n.ds0 = todo;
  n.ds1 = todo;
  n.dq0 = todo;
  n.dk10 = todo;
  n.unscaled = todo;
  return n;
}

// ---- gradient: q (queries, d), k (keys, d), v (keys, e)
Tensor my_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const double d = static_cast<double>(q.dim(-1));
  const Tensor w = softmax(matmul(q.detached(), transpose(k.detached())) / std::sqrt(d));
  const Tensor y = matmul(w, v.detached());
  return record("my_attention", y, {q, k, v}, [=](const Tensor& dy) {
    const Tensor dq = todo;
    const Tensor dk = todo;
    const Tensor dv = todo;
    return Grads{dq, dk, dv};
  });
}
