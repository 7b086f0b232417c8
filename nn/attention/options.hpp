#pragma once
#include "../../core/parameter.hpp"
#include "../positions.hpp"

namespace tapehead {

/// How scores are scaled by what is learned:
/// layer, head: by exp(s), one s for the layer or one a head, s starting at 0, held within
///   +-log(100); its temperature is 1 / exp(s)
/// qkv: queries, keys and values each by a number a head, starting at 1
/// lsa: by a number a head in place of `scale`, starting there, and no query sees its own
///   position (Lee, Lee and Song, "Vision Transformer for Small-Size Datasets")
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
  double epsilon = 1e-5;    ///< of these norms
  bool bias_kv = false;     ///< a learned key and value that every query sees
  bool zero_kv = false;     ///< a key and value of zeros that every query sees
  bool causal = false;
  bool hide_self = false;  ///< in self-attention no query sees its own position; lsa implies it
  Index window = 0;        ///< see AttentionOptions
  double scale = 0;        ///< of the scores, a constant, or where lsa starts; 0: 1 / sqrt(d_k)
  bool mask_before_scale = false;       ///< see AttentionOptions
  double dropout = 0, out_dropout = 0;  ///< on the weights, on the output
  Temperature temperature = Temperature::none;
  Position position = Position::none;  ///< rotary, alibi, relative, t5; others belong to a model
  PositionOptions positions = {};
  /// Makes a scheme of its own, in place of `position`; called with these options, completed.
  std::function<std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)> scheme = {};
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// The same options, with no 0 left among the sizes. Throws ValueError that names the option that
/// doesn't fit.
AttentionLayerOptions completed(AttentionLayerOptions options);

}  // namespace tapehead
