#include "exercise.hpp"

using namespace tapehead;

Tensor previous(const Tensor& x) { return pad(slice(x, 1, 0, x.dim(1) - 1), 1, 1, 0); }

Tensor induction(const Tensor& x) {
  const Tensor mask = tril_mask(x.dim(1), x.dim(1));
  const Tensor q = x, k = previous(x), v = x;
  const Tensor scores = matmul(q, transpose(k)) * 100;
  const Tensor weights = softmax(where(mask, scores, scalar(-INFINITY, DType::f64)));
  return matmul(weights, v);
}
