#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double score0, score1;
  double weight0, weight1, weight2;
};
ByHand by_hand() {
  ByHand n{};
  n.score0 = learn::whole(901) / 2;
  n.score1 = learn::whole(902) / 2;
  const double e0 = std::exp(n.score0), e1 = std::exp(n.score1);
  n.weight0 = e0 / (e0 + e1);
  n.weight1 = e1 / (e0 + e1);
  n.weight2 = 0;
  return n;
}

Tensor my_causal_mask(Index queries, Index keys) {
  return tril_mask(queries, keys, keys - queries);
}

Tensor my_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  const double d = static_cast<double>(q.dim(-1));
  const Tensor scores = matmul(q, transpose(k)) / std::sqrt(d);
  const Tensor weights = softmax(where(mask, scores, scalar(-INFINITY, DType::f64)));
  return matmul(weights, v);
}
