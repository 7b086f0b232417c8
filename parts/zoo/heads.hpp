#pragma once
// What the layers of this folder share. Each is causal self-attention in primitive ops and the
// attention op, takes the options of a MultiHeadAttention, and keeps what it has seen in the cache
// of a pass.
#include "../../nn/attention/attention.hpp"

namespace tapehead::zoo {

/// The options, completed and causal.
AttentionLayerOptions causal(AttentionLayerOptions options);
/// The same. Throws ValueError unless each head has keys and values of its own.
AttentionLayerOptions with_own_keys(const char* layer, const AttentionLayerOptions& options);

/// The layer's last projection, heads d -> width.
Linear projection_out(const AttentionLayerOptions& options);

/// x (batch, time, heads d) -> (batch, heads, time, d).
Tensor heads_apart(const Tensor& x, Index heads);
/// x (batch, heads, time, d) -> (batch, time, heads d).
Tensor heads_together(const Tensor& x);

/// The position of a pass's first token: the number of those that its cache has seen.
Index first_position(const Pass& pass);
/// Puts new keys and values (batch, time, ...) behind those that a layer has in the cache of the
/// pass, and holds both; without a cache they stay as they are.
void continue_cache(Pass& pass, const Module& layer, Tensor& keys, Tensor& values);

/// What the options of a layer tell the attention op of so many queries and keys.
AttentionOptions op_options(const AttentionLayerOptions& options, const PositionScheme* positions,
                            Index queries, Index keys, DType dtype, Pass& pass);

}  // namespace tapehead::zoo
