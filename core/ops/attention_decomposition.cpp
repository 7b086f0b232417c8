// The decomposition of attention: what the kernel computes, in primitive ops.
#include "attention_plan.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// Prepends elements of `value` for the extra keys to x, whose last axis has the other keys.
Tensor beyond_extra(const Tensor& x, Index extra, double value) {
  if (extra == 0) return x;
  Shape front = x.shape();
  front[3] = extra;
  return concat({full(front, value, x.dtype()), x}, 3);
}

/// i32 (queries, keys): the distance from the position of query i to key j, clamped to [low, high]
/// and counted from low.
Tensor distances(Index queries, Index keys, Index low, Index high) {
  Tensor ids = Tensor::empty({queries, keys}, DType::i32);
  auto* id = ids.mutable_data<std::int32_t>();
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j)
      *id++ =
          static_cast<std::int32_t>(std::clamp<Index>(j - (keys - queries + i), low, high) - low);
  return ids;
}

/// Reshapes () or (heads) to (heads or 1, 1, 1), which broadcasts over (batch, heads, queries,
/// keys).
Tensor by_head(const Tensor& x) { return reshape(x, Shape{x.size(), 1, 1}); }

Tensor multiplier(const AttentionOptions& options, Index width, DType dtype) {
  const Tensor scale = options.scale ? by_head(options.scale)
                                     : scalar(1 / std::sqrt(static_cast<double>(width)), dtype);
  if (!options.temperature) return scale;
  const Tensor exponent =
      clamp(by_head(options.temperature), -max_temperature_exponent, max_temperature_exponent);
  return scale * exp(exponent);
}

/// x (batch, heads, queries, n) times y, (batch, kv_heads, n, m), each of whose matrices serves
/// adjacent heads -> (batch, heads, queries, m).
Tensor grouped_matmul(const Tensor& x, const Tensor& y) {
  const Index batch = x.dim(0), heads = x.dim(1), kv_heads = y.dim(1);
  if (heads == kv_heads) return matmul(x, y);
  const Tensor groups = reshape(x, Shape{batch, kv_heads, heads / kv_heads, x.dim(2), x.dim(3)});
  const Tensor shared = reshape(y, Shape{batch, kv_heads, 1, y.dim(2), y.dim(3)});
  return reshape(matmul(groups, shared), Shape{batch, heads, x.dim(2), y.dim(3)});
}

}  // namespace

Tensor attention_decomposition(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options) {
  const Index batch = q.dim(0), heads = q.dim(1), queries = q.dim(2), extra = options.extra;
  const Index keys = k.dim(2) - extra;
  const DType dtype = q.dtype();
  const Tensor masked_score = scalar(-infinity, dtype);

  Tensor scores = grouped_matmul(q, transpose(k));  // (batch, heads, queries, extra + keys)
  Tensor ids;                                       // (queries, keys): rows of the relative tables
  if (options.relative_keys || options.relative_values) {
    const Tensor& table = options.relative_keys ? options.relative_keys : options.relative_values;
    const Index reach = table.dim(0) / 2;
    ids = distances(queries, keys, -reach, reach);
  }
  if (options.relative_keys) {
    const Tensor near = transpose(gather_rows(options.relative_keys, ids));  // (queries, d, keys)
    const Tensor one = reshape(q, Shape{batch, heads, queries, 1, q.dim(3)});
    scores = scores +
             beyond_extra(reshape(matmul(one, near), Shape{batch, heads, queries, keys}), extra, 0);
  }
  Tensor added;
  std::vector<Tensor> hidden;
  const auto hide = [&](const Tensor& mask) { hidden.push_back(beyond_extra(mask, extra, 0)); };
  const auto add_mask = [&](const Tensor& given) {  // four axes
    const Tensor mask = broadcast_to(given, given.shape().with(3, keys));
    if (!mask.is_float()) return hide(equal(mask, zeros({}, DType::i32)));
    const Tensor never = equal(mask, masked_score);
    const Tensor finite = beyond_extra(where(never, scalar(0, dtype), mask), extra, 0);
    added = added ? added + finite : finite;
    hide(never);
  };
  if (options.mask)
    add_mask(reshape(options.mask,
                     mask_shape(options.mask.shape(), Shape{batch, heads, queries, keys})));
  if (options.key_mask) add_mask(reshape(options.key_mask, Shape{batch, 1, 1, keys}));
  const Tensor factor = multiplier(options, q.dim(3), dtype);
  if (added && options.mask_before_scale) scores = scores + added;
  scores = scores * factor;
  if (added && !options.mask_before_scale) scores = scores + added;
  if (options.bias) {  // (heads or 1, distances) -> (1, heads or 1, queries, keys)
    const Tensor by_distance =
        gather_rows(transpose(options.bias), distances(queries, keys, 1 - keys, queries - 1));
    scores = scores + beyond_extra(reshape(permute(by_distance, {2, 0, 1}),
                                           Shape{1, options.bias.dim(0), queries, keys}),
                                   extra, 0);
  }
  const Shape square = {1, 1, queries, keys};
  if (options.causal) hide(reshape(triu_mask(queries, keys, keys - queries + 1), square));
  if (options.hide_self)
    hide(reshape(equal(distances(queries, keys, -1, 1), ones({}, DType::i32)), square));
  if (const Index n = options.window; n > 0)
    for (const double edge : {0.0, 2.0 * static_cast<double>(n)})
      hide(reshape(equal(distances(queries, keys, -n, n), scalar(edge, DType::i32)), square));
  for (const Tensor& mask : hidden) scores = where(mask, masked_score, scores);
  Tensor weights = softmax(scores);  // (batch, heads, queries, extra + keys)
  if (options.replace) weights = options.replace(weights);
  weights = dropout(weights, options.dropout, options.key);
  const Tensor y = grouped_matmul(weights, v);
  if (!options.relative_values) return y;
  const Tensor near = gather_rows(options.relative_values, ids);  // (queries, keys, e)
  const Tensor w =
      reshape(slice(weights, 3, extra, extra + keys), Shape{batch, heads, queries, 1, keys});
  return y + reshape(matmul(w, near), Shape{batch, heads, queries, v.dim(3)});
}

}  // namespace tapehead
