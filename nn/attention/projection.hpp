#pragma once
#include "../layers.hpp"
#include "../positions.hpp"

namespace tapehead {

/// How an attention layer projects its inputs, and its heads' outputs back. The defaults are those
/// of self-attention in a model; `presets` has others.
struct ProjectionOptions {
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
  bool in_bias = true, out_bias = true;
  bool fused = true;        ///< one projection for queries, keys and values, all from one width
  bool project_out = true;  ///< false: the heads' outputs side by side are the layer's
  bool pre_norm = false;    ///< layer norm of the queries' input; of all three if they are one
  bool bias_kv = false;     ///< a learned key and value that every query sees
  bool zero_kv = false;     ///< a key and value of zeros that every query sees
  Index key_input = 0, value_input = 0;  ///< c_k, c_v; 0: as wide as the queries' input, c_q
  Index value_width = 0;                 ///< d_v, of a value of a head; 0: d_k
  Index out_width = 0;                   ///< d_o; 0: c_q
};

/// What an attention layer keeps in a cache: (batch, time, kv_heads d_k), (batch, time, kv_heads
/// d_v).
struct KeyValueCache {
  AppendableTensor keys, values;
};

/// Makes queries, keys and values from an attention layer's inputs: by one projection or by three,
/// normalised and scaled head by head, turned by their positions, and behind those that a cache
/// holds. Its parameters are named as the layer's own: `attention.qkv.weight`.
struct AttentionProjection {
  /// The options are as `completed` gives them.
  explicit AttentionProjection(const AttentionLayerOptions& options);
  void visit(Visitor& v);

  struct Projected {
    Tensor q, k, v;  // (batch, m, heads d_k), (batch, extra + n, kv_heads d_k), (..., kv_heads d_v)
    // n counts what a cache holds, too. The first `extra` keys and values have no position, and
    // every query sees them.
    Index extra = 0;
  };
  /// queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v). With a cache in the
  /// pass, self-attention adds its keys and values to what the cache holds, and cross-attention
  /// keeps those of the first call. A scheme, if any, turns queries and keys.
  Projected operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                       const PositionScheme* positions) const;

  /// Whether self-attention without a cache can leave its projections in one tensor, that of
  /// `joint`.
  bool is_joint() const;
  /// Self-attention's x (batch, time, c_q) -> queries, keys and values of all heads side by side,
  /// (batch, time, (heads + 2 kv_heads) d_k).
  Tensor joint(const Tensor& x, Pass& pass, const PositionScheme* positions) const;

  Index heads, kv_heads, width, value_width;      // of a key d_k, of a value d_v
  std::optional<LayerNorm> norm;                  // pre_norm
  std::optional<Linear> qkv;                      // fused: c_q -> heads d_k + kv_heads (d_k + d_v)
  std::optional<Linear> query;                    // c_q -> heads d_k
  std::optional<Linear> key, value;               // c_k -> kv_heads d_k, c_v -> kv_heads d_v
  std::optional<RMSNorm> query_norm, key_norm;    // qk_norm: over d_k
  Parameter bias_key, bias_value;                 // bias_kv: (kv_heads d_k), (kv_heads d_v)
  bool zero_key;                                  // zero_kv
  Parameter query_scale, key_scale, value_scale;  // (heads, 1), (kv_heads, 1) twice

 private:
  Projected project(const Tensor& queries, const Tensor& keys, const Tensor& values,
                    Pass& pass) const;
  void normalise(Projected& heads, Pass& pass) const;
  void scale(Projected& heads) const;
  Tensor joint_gain() const;  // of both norms: (heads + kv_heads, d_k)
};

/// Whether both are the same tensor, as the inputs of self-attention are.
bool is_same_tensor(const Tensor& a, const Tensor& b);

}  // namespace tapehead
