// Attention in primitive ops, as declared in attention_plan.hpp. attention_options.cpp has the
// options.
#include "attention_plan.hpp"

namespace tapehead {
namespace {

/// Multiplies x (batch, heads, queries, n) by y (batch, kv_heads, n, m) -> (batch, heads, queries,
/// m). Adjacent heads of x share a matrix of y.
Tensor matmul_by_head(const Tensor& x, const Tensor& y) {
  const Index batch = x.dim(0), heads = x.dim(1), kv_heads = y.dim(1);
  if (heads == kv_heads) return matmul(x, y);
  const Tensor groups = reshape(x, Shape{batch, kv_heads, heads / kv_heads, x.dim(2), x.dim(3)});
  const Tensor shared = reshape(y, Shape{batch, kv_heads, 1, y.dim(2), y.dim(3)});
  return reshape(matmul(groups, shared), Shape{batch, heads, x.dim(2), y.dim(3)});
}

}  // namespace

Tensor attention_decomposition(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options) {
  Tensor scores = matmul_by_head(q, transpose(k));  // (batch, heads, queries, extra + keys)
  scores = scale_and_mask(add_relative_keys(scores, q, options), q.dim(3), options);
  scores = hide(add_bias(scores, options), options);
  Tensor weights = softmax(scores);
  weights = dropout_weights(replaced(weights, options), options.dropout, options.key);
  return add_relative_values(matmul_by_head(weights, v), weights, options);
}

}  // namespace tapehead
