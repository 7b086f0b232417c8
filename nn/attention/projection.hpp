#pragma once
#include "../layers.hpp"
#include "../positions.hpp"

namespace tapehead {

/// The input and output projections of an attention layer. The defaults are for self-attention in a
/// model; `presets` has others.
struct ProjectionOptions {
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
  bool in_bias = true, out_bias = true;
  bool fused = true;  ///< one projection for queries, keys and values; needs equal input widths
  bool project_out = true;  ///< false: the output is the concatenated outputs of the heads
  bool pre_norm = false;    ///< layer norm of the query input; in self-attention, of all inputs
  bool bias_kv = false;     ///< a learned key and value that every query sees
  bool zero_kv = false;     ///< a key and value of zeros that every query sees
  Index key_input = 0, value_input = 0;  ///< widths of the key and value inputs, c_k, c_v (0: c_q)
  Index value_width = 0;                 ///< width of a value of a head, d_v (0: d_k)
  Index out_width = 0;                   ///< width of the output, d_o (0: c_q)
};

/// The KV cache of one attention layer: keys (batch, time, kv_heads d_k) and values
/// (batch, time, kv_heads d_v). With tied_kv, `keys` has the projected keys before their norm and
/// rotation, which are also the values, and `values` stays empty.
struct KeyValueCache {
  AppendableTensor keys, values;
};

/// Computes queries, keys and values in an attention layer. It projects the inputs, then
/// normalises, scales and rotates each head, and appends keys and values to a cache. Parameter
/// paths don't contain its name: they are like `attention.qkv.weight`.
struct AttentionProjection {
  /// Requires options with defaults filled in by with_defaults.
  explicit AttentionProjection(const AttentionLayerOptions& options);
  void visit(Visitor& v);

  struct Projected {
    Tensor q, k, v;  // (batch, m, heads d_k), (batch, extra + n, kv_heads d_k), (..., kv_heads d_v)
    // n includes cached positions. The first `extra` keys and values have no position, and every
    // query sees them.
    Index extra = 0;
  };
  /// Projects queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v). With a cache
  /// in the pass, self-attention appends its keys and values to the cache, and cross-attention
  /// reuses the keys and values of its first call. `positions`, if not null, rotates queries and
  /// keys.
  Projected operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                       const PositionScheme* positions) const;

  /// Returns whether self-attention without a cache can call `joint`.
  bool is_joint() const;
  /// Projects the input of self-attention to one tensor of queries, keys and values of all heads:
  /// x (batch, time, c_q) -> (batch, time, (heads + 2 kv_heads) d_k).
  Tensor joint(const Tensor& x, Pass& pass, const PositionScheme* positions) const;

  Index heads, kv_heads, width, value_width;      // widths of a head: d_k, d_v
  bool tied_kv;                                   // the values are the projected keys
  std::optional<LayerNorm> norm;                  // with pre_norm
  std::optional<Linear> qkv;                      // fused: c_q -> heads d_k + kv_heads (d_k + d_v)
  std::optional<Linear> query;                    // c_q -> heads d_k
  std::optional<Linear> key, value;               // c_k -> kv_heads d_k, c_v -> kv_heads d_v
  std::optional<RMSNorm> query_norm, key_norm;    // with qk_norm, over d_k
  Parameter bias_key, bias_value;                 // with bias_kv: (kv_heads d_k), (kv_heads d_v)
  bool zero_key;                                  // with zero_kv, a key and value of zeros
  Parameter query_scale, key_scale, value_scale;  // with Temperature::qkv, (heads or kv_heads, 1)

 private:
  Projected project(const Tensor& queries, const Tensor& keys, const Tensor& values,
                    Pass& pass) const;
  void normalise(Projected& heads, Pass& pass) const;
  void scale(Projected& heads) const;
  Tensor joint_gain() const;  // the gains of both norms: (heads + kv_heads, d_k)
};

/// Returns whether both handles are the same tensor, as in self-attention.
bool is_same_tensor(const Tensor& a, const Tensor& b);

}  // namespace tapehead
