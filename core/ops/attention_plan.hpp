#pragma once
// Functions that check the options of attention, and attention in primitive ops.
#include "../kernels/attention/attention.hpp"
#include "../ops.hpp"

namespace tapehead {

/// Checks the options for inputs of these sizes and this type, and makes the plan for the kernel.
/// Error messages begin with `op`.
AttentionPlan make_plan(const char* op, const AttentionSizes& sizes, DType dtype,
                        const AttentionOptions& options);

/// Returns the number of multiply-adds of the forward pass for scores, weighted values and relative
/// tables. For scores and values, counts only keys that causality, the window and hide_self leave
/// visible.
double multiply_adds(const AttentionPlan& plan);

/// Returns the four-axis shape of a mask, which must broadcast to `full`, (batch, heads, queries,
/// keys). Rank 3 is (batch, queries, keys) or (batch * heads, queries, keys).
Shape mask_shape(const Shape& mask, const Shape& full);

/// Applies dropout to attention weights (batch, heads, queries, keys) with the random numbers of
/// the kernel. The random number for a query, head and key doesn't depend on the numbers of queries
/// and keys.
Tensor dropout_weights(const Tensor& weights, double p, const RandomKey& key);

/// Computes attention in primitive ops: q (batch, heads, queries, d), k (batch, kv_heads, keys, d),
/// v (batch, kv_heads, keys, e) -> (batch, heads, queries, e). The caller checks the inputs.
Tensor attention_decomposition(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options);

// The options of attention in primitive ops. Scores and weights are (batch, heads, queries, extra +
// keys). Each function returns its first argument unchanged if its option isn't set.

/// Adds to each score the dot product of the query and the relative key for the distance of query
/// and key.
Tensor add_relative_keys(const Tensor& scores, const Tensor& q, const AttentionOptions& options);
/// Applies scale, temperature and float masks to the scores. `width` is the size d of a query.
Tensor scale_and_mask(const Tensor& scores, Index width, const AttentionOptions& options);
/// Adds to each score the bias for the distance of query and key.
Tensor add_bias(const Tensor& scores, const AttentionOptions& options);
/// Sets scores to minus infinity where masks, causal, hide_self or window hide a key.
Tensor hide(Tensor scores, const AttentionOptions& options);
/// Returns the weights that options.replace returns for these weights.
Tensor replaced(const Tensor& weights, const AttentionOptions& options);
/// Adds the weighted sum of the relative values to y (batch, heads, queries, e).
Tensor add_relative_values(const Tensor& y, const Tensor& weights, const AttentionOptions& options);

}  // namespace tapehead
