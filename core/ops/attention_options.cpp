#include "attention_plan.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// Adds the extra keys in front of the last axis of x, which has an element for each other key. The
/// new elements are `value`.
Tensor behind_extra(const Tensor& x, const AttentionOptions& options, double value = 0) {
  if (options.extra == 0) return x;
  return concat({full(x.shape().with(3, options.extra), value, x.dtype()), x}, 3);
}

/// Returns i32 (queries, keys): the distance from query i to key j, clamped to [low, high], with
/// `low` subtracted.
Tensor distances(Index queries, Index keys, Index low, Index high) {
  Tensor ids = Tensor::empty({queries, keys}, DType::i32);
  auto* id = ids.mutable_data<std::int32_t>();
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j)
      *id++ =
          static_cast<std::int32_t>(std::clamp<Index>(j - (keys - queries + i), low, high) - low);
  return ids;
}

/// Returns i32 (queries, keys): the row of a relative table (2 reach + 1, ...) for each query and
/// key.
Tensor table_rows(const Tensor& table, Index queries, Index keys) {
  const Index reach = table.dim(0) / 2;
  return distances(queries, keys, -reach, reach);
}

/// Reshapes () or (heads) -> (heads or 1, 1, 1) for broadcasting over (batch, heads, queries,
/// keys).
Tensor by_head(const Tensor& x) { return reshape(x, Shape{x.size(), 1, 1}); }

Tensor temperature_factor(const Tensor& s) {
  return exp(clamp(by_head(s), -max_temperature_exponent, max_temperature_exponent));
}

/// Returns `mask` and `key_mask`, if set, with four axes that broadcast to (batch, heads, queries,
/// keys).
std::vector<Tensor> given_masks(const Tensor& scores, const AttentionOptions& options) {
  const Index keys = scores.dim(3) - options.extra;
  std::vector<Tensor> masks;
  if (options.mask)
    masks.push_back(
        reshape(options.mask, mask_shape(options.mask.shape(), scores.shape().with(3, keys))));
  if (options.key_mask)
    masks.push_back(reshape(options.key_mask, Shape{scores.dim(0), 1, 1, keys}));
  for (Tensor& mask : masks) mask = broadcast_to(mask, mask.shape().with(3, keys));
  return masks;
}

/// Returns an i32 tensor that is 1 where the mask hides a key: where a float mask is minus
/// infinity, or an i32 mask is 0.
Tensor hidden_by(const Tensor& mask) {
  if (mask.is_float()) return equal(mask, scalar(-infinity, mask.dtype()));
  return equal(mask, zeros({}, DType::i32));
}

/// Adds the finite elements of float masks to the scores.
Tensor add_masks(const Tensor& scores, const AttentionOptions& options) {
  Tensor sum;
  for (const Tensor& mask : given_masks(scores, options)) {
    if (!mask.is_float()) continue;
    const Tensor finite = where(hidden_by(mask), scalar(0, mask.dtype()), mask);
    sum = sum ? sum + behind_extra(finite, options) : behind_extra(finite, options);
  }
  return sum ? scores + sum : scores;
}

/// Returns i32 (queries, keys), which is 1 for keys after the query.
Tensor later_keys(Index queries, Index keys) {
  return triu_mask(queries, keys, keys - queries + 1);
}

/// Returns i32 (queries, keys), which is 1 for the key at the query's position.
Tensor own_key(Index queries, Index keys) {
  return equal(distances(queries, keys, -1, 1), ones({}, DType::i32));
}

/// Returns i32 (queries, keys), which is 1 for keys at least `window` positions before the query,
/// or after the query if `after` is set.
Tensor far_keys(Index queries, Index keys, Index window, bool after) {
  const double farthest = after ? 2.0 * static_cast<double>(window) : 0;
  return equal(distances(queries, keys, -window, window), scalar(farthest, DType::i32));
}

}  // namespace

Tensor add_relative_keys(const Tensor& scores, const Tensor& q, const AttentionOptions& options) {
  if (!options.relative_keys) return scores;
  const Index batch = q.dim(0), heads = q.dim(1), queries = q.dim(2);
  const Index keys = scores.dim(3) - options.extra;
  const Tensor ids = table_rows(options.relative_keys, queries, keys);
  const Tensor near = transpose(gather_rows(options.relative_keys, ids));  // (queries, d, keys)
  const Tensor each = reshape(q, Shape{batch, heads, queries, 1, q.dim(3)});
  const Tensor products = reshape(matmul(each, near), Shape{batch, heads, queries, keys});
  return scores + behind_extra(products, options);
}

Tensor scale_and_mask(const Tensor& scores, Index width, const AttentionOptions& options) {
  Tensor factor = options.scale ? by_head(options.scale)
                                : scalar(1 / std::sqrt(static_cast<double>(width)), scores.dtype());
  if (options.temperature) factor = factor * temperature_factor(options.temperature);
  return options.mask_before_scale ? add_masks(scores, options) * factor
                                   : add_masks(scores * factor, options);
}

Tensor add_bias(const Tensor& scores, const AttentionOptions& options) {
  if (!options.bias) return scores;
  const Index queries = scores.dim(2), keys = scores.dim(3) - options.extra;
  const Tensor by_distance =  // (queries, keys, heads or 1)
      gather_rows(transpose(options.bias), distances(queries, keys, 1 - keys, queries - 1));
  const Shape of_scores{1, options.bias.dim(0), queries, keys};
  return scores + behind_extra(reshape(permute(by_distance, {2, 0, 1}), of_scores), options);
}

Tensor hide(Tensor scores, const AttentionOptions& options) {
  const Index queries = scores.dim(2), keys = scores.dim(3) - options.extra;
  const auto hide_where = [&](const Tensor& hidden) {  // a mask of rank 4, or (queries, keys)
    const Tensor all = hidden.rank() == 4 ? hidden : reshape(hidden, Shape{1, 1, queries, keys});
    scores = where(behind_extra(all, options), scalar(-infinity, scores.dtype()), scores);
  };
  for (const Tensor& mask : given_masks(scores, options)) hide_where(hidden_by(mask));
  if (options.causal) hide_where(later_keys(queries, keys));
  if (options.hide_self) hide_where(own_key(queries, keys));
  if (options.window > 0)
    for (const bool after : {false, true})
      hide_where(far_keys(queries, keys, options.window, after));
  return scores;
}

Tensor replaced(const Tensor& weights, const AttentionOptions& options) {
  return options.replace ? options.replace(weights) : weights;
}

Tensor add_relative_values(const Tensor& y, const Tensor& weights,
                           const AttentionOptions& options) {
  if (!options.relative_values) return y;
  const Index batch = y.dim(0), heads = y.dim(1), queries = y.dim(2);
  const Index all = weights.dim(3), keys = all - options.extra;
  const Tensor ids = table_rows(options.relative_values, queries, keys);
  const Tensor near = gather_rows(options.relative_values, ids);  // (queries, keys, e)
  const Tensor each =
      reshape(slice(weights, 3, options.extra, all), Shape{batch, heads, queries, 1, keys});
  return y + reshape(matmul(each, near), Shape{batch, heads, queries, y.dim(3)});
}

}  // namespace tapehead
