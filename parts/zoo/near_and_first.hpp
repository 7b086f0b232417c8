#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// Causal attention to the near keys and the first ones: the query at position i sees key j <= i
/// where i - j < window or j < sinks.
struct NearAndFirst {
  AttentionLayerOptions options;  // heads, kv_heads, window (0: every key), dropout
  Index sinks;

  /// q (batch, m, heads d), of the last of `total` tokens; k and v (batch, n, kv_heads d), of the
  /// first `sinks` tokens and the last ones -> (batch, m, heads d). It takes a mask of m x n.
  Tensor masked(const Tensor& q, const Tensor& k, const Tensor& v, Index total, Pass& pass,
                const char* path) const;
  /// The same of all tokens, at a cost that is linear in their number: each block of `window`
  /// queries sees the sinks and 2 window - 1 near keys.
  Tensor in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, Pass& pass,
                   const char* path) const;
  /// How many keys and values have to be kept for the tokens to come.
  Index kept() const { return sinks + options.window - 1; }
};

}  // namespace tapehead::zoo
