#pragma once
// What the options of attention do to scores and weights, (batch, heads, queries, extra + keys), in
// primitive ops. Each function returns what it was given where its option isn't set.
#include "../ops.hpp"

namespace tapehead {

/// Relative keys: each query's product with the row for its distance from a key.
Tensor add_relative_keys(const Tensor& scores, const Tensor& q, const AttentionOptions& options);
/// Scale and temperature; and masks of numbers, which are added before or after. `width` is d.
Tensor scale_and_mask(const Tensor& scores, Index width, const AttentionOptions& options);
/// A number for each distance.
Tensor add_bias(const Tensor& scores, const AttentionOptions& options);
/// Minus infinity where a query may not attend: by masks, causal, hide_self and window.
Tensor hide(Tensor scores, const AttentionOptions& options);
/// What a caller puts in the weights' place.
Tensor replaced(const Tensor& weights, const AttentionOptions& options);
/// y (batch, heads, queries, e): the weighted mean, too, of the rows for the keys' distances.
Tensor add_relative_values(const Tensor& y, const Tensor& weights, const AttentionOptions& options);

}  // namespace tapehead
