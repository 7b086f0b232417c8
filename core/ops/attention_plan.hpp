#pragma once
// What the attention ops, their kernel and their decomposition share: the options, checked and laid
// out.
#include "../kernels/attention/attention.hpp"
#include "../ops.hpp"

namespace tapehead {

/// Checks the options for inputs of these sizes and type; errors name `op`.
AttentionPlan make_plan(const char* op, const AttentionSizes& sizes, DType dtype,
                        const AttentionOptions& options);

/// Of the products of forward: of queries and keys, and of weights and values, those of the pairs
/// that causality and the window let see each other; and those with the relative tables.
double multiply_adds(const AttentionPlan& plan);

/// The shape of a mask with four axes that broadcast to `full`, (batch, heads, queries, keys): rank
/// 3 is (batch, queries, keys) or (batch * heads, queries, keys).
Shape mask_shape(const Shape& mask, const Shape& full);

/// Dropout of attention weights (batch, heads, queries, keys), which draws for each weight the same
/// as the kernel. Unlike `dropout`, it draws the same for a weight whatever the shape is.
Tensor dropout_weights(const Tensor& weights, double p, const RandomKey& key);

/// Attention in primitive ops. q (batch, heads, queries, d), k (batch, kv_heads, keys, d),
/// v (batch, kv_heads, keys, e) -> (batch, heads, queries, e); all checked by the caller.
Tensor attention_decomposition(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options);

// What the options of attention do to scores and weights, (batch, heads, queries, extra + keys), in
// primitive ops. Each function returns what it was given where its option isn't set.

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
