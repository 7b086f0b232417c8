#pragma once
// The checked options of attention, for the ops, the kernel and the decomposition.
#include "../kernels/attention/attention.hpp"
#include "../ops.hpp"

namespace tapehead {

/// Checks the options for inputs of these sizes and type. Errors begin with `op`.
AttentionPlan make_plan(const char* op, const AttentionSizes& sizes, DType dtype,
                        const AttentionOptions& options);

/// Returns the number of multiply-adds of the forward pass: for scores, weighted values and
/// relative tables. Counts only pairs of query and key that causality and the window allow.
double multiply_adds(const AttentionPlan& plan);

/// Returns the shape of a mask with four axes, which broadcasts to `full`, (batch, heads, queries,
/// keys). Rank 3 is (batch, queries, keys) or (batch * heads, queries, keys).
Shape mask_shape(const Shape& mask, const Shape& full);

/// Applies dropout to attention weights (batch, heads, queries, keys), with the same random numbers
/// as the kernel. Unlike in `dropout`, they don't depend on the shape.
Tensor dropout_weights(const Tensor& weights, double p, const RandomKey& key);

/// Computes attention in primitive ops: q (batch, heads, queries, d), k (batch, kv_heads, keys, d),
/// v (batch, kv_heads, keys, e) -> (batch, heads, queries, e). The caller checks the inputs.
Tensor attention_decomposition(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options);

// The options of attention in primitive ops. They change scores and weights, (batch, heads,
// queries, extra + keys). Each function returns its first argument unchanged if its option isn't
// set.

/// Adds the dot product of each query and the relative key for its distance.
Tensor add_relative_keys(const Tensor& scores, const Tensor& q, const AttentionOptions& options);
/// Applies scale, temperature and float masks. `width` is d.
Tensor scale_and_mask(const Tensor& scores, Index width, const AttentionOptions& options);
/// Adds the bias for each distance.
Tensor add_bias(const Tensor& scores, const AttentionOptions& options);
/// Sets scores to minus infinity where masks, causal, hide_self or window hide a key.
Tensor hide(Tensor scores, const AttentionOptions& options);
/// Returns the weights, or their replacement from options.replace.
Tensor replaced(const Tensor& weights, const AttentionOptions& options);
/// Adds the weighted sum of the relative values to y (batch, heads, queries, e).
Tensor add_relative_values(const Tensor& y, const Tensor& weights, const AttentionOptions& options);

}  // namespace tapehead
