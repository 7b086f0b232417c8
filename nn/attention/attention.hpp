#pragma once
#include "../layers.hpp"
#include "../positions.hpp"

namespace tapehead {

/// How scores are scaled by what is learned:
/// layer, head: by exp(s), one s for the layer or one a head, s starting at 0, held within
///   +-log(100); its temperature is 1 / exp(s)
/// qkv: queries, keys and values each by a number a head, starting at 1
/// lsa: by a number a head in place of 1 / sqrt(d), starting there, and no query sees its own place
///   (Lee, Lee and Song, "Vision Transformer for Small-Size Datasets")
enum class Temperature { none, layer, head, qkv, lsa };

struct AttentionLayerOptions {
  Index width = 0;                       ///< c_q: of what queries are made from
  Index key_input = 0, value_input = 0;  ///< c_k, c_v; 0: width
  Index heads = 1;
  Index kv_heads = 0;     ///< divides heads, which share keys and values; 0: heads
  Index head_width = 0;   ///< d_k, of a query and a key; 0: width / heads
  Index value_width = 0;  ///< d_v, of a value of a head; 0: d_k
  Index out_width = 0;    ///< d_o; 0: width
  bool fused = true;      ///< one projection for queries, keys and values, whose inputs are as wide
  bool in_bias = true, out_bias = true;
  bool project_out = true;  ///< false: the heads' outputs side by side are the layer's
  bool pre_norm = false;    ///< layer norm of the queries' input; of all three if they are one
  bool qk_norm = false;     ///< RMS norm of each head's queries and keys
  bool bias_kv = false;     ///< a learned key and value that every query sees
  bool zero_kv = false;     ///< a key and value of zeros that every query sees
  bool causal = false;
  bool mask_before_scale = false;       ///< see AttentionOptions
  double dropout = 0, out_dropout = 0;  ///< on the weights, on the output
  Temperature temperature = Temperature::none;
  Position position = Position::none;  ///< rotary, alibi, relative, t5; others belong to a model
  PositionOptions positions = {};
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// See AttentionOptions.
struct AttentionMasks {
  Tensor mask = {}, key_mask = {};
};

/// Multi-head attention (Vaswani et al., "Attention Is All You Need"), and what became of it.
struct MultiHeadAttention : Module {
  /// Throws ValueError that names the option that doesn't fit.
  explicit MultiHeadAttention(const AttentionLayerOptions& options);

  using Module::operator();
  /// Self-attention: (batch, time, c_q) -> (batch, time, d_o).
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v) -> (batch, m, d_o). With
  /// a cache in the pass, self-attention adds its keys and values to what the cache holds, and
  /// cross-attention keeps those of the first call.
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                    const AttentionMasks& masks = {}) const;
  void visit(Visitor& v) override;

  /// What a learned temperature multiplies scores by now, by name: exp(s) as "scores", or the
  /// factors of qkv and lsa; empty without temperature.
  std::vector<std::pair<std::string, std::vector<double>>> learned_scales() const;

  AttentionLayerOptions options;  // no zeros left among the sizes
  std::optional<LayerNorm> norm;  // pre_norm
  std::optional<Linear> qkv;      // fused: c_q -> heads d_k + kv_heads (d_k + d_v)
  std::optional<Linear> query, key,
      value;  // c_q -> heads d_k, c_k -> kv_heads d_k, c_v -> kv_heads d_v
  std::optional<RMSNorm> query_norm, key_norm;    // over d_k
  Parameter bias_key, bias_value;                 // (kv_heads d_k), (kv_heads d_v)
  Parameter temperature;                          // s: () or (heads)
  Parameter scale;                                // lsa: (heads)
  Parameter query_scale, key_scale, value_scale;  // qkv: (heads, 1), (kv_heads, 1) twice
  Parameter relative_keys, relative_values;       // (2 reach + 1, d_k), (2 reach + 1, d_v)
  Parameter buckets;                              // t5: (buckets, heads)
  std::optional<Linear> out;                      // heads d_v -> d_o

 private:
  struct Projected {
    Tensor q, k, v;  // (batch, time, heads d_k), (batch, time, kv_heads d_k), (..., kv_heads d_v)
  };
  Tensor attend(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                const AttentionMasks& masks) const;
  AttentionResult mix(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                      AttentionOptions& how) const;
  Projected project(const Tensor& queries, const Tensor& keys, const Tensor& values,
                    Pass& pass) const;
  Tensor joint_gain() const;  // of qk_norm: (heads + kv_heads, d_k)
  Tensor bias_by_distance(Index queries, Index keys, DType dtype) const;
};

}  // namespace tapehead
