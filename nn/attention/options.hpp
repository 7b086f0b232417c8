#pragma once
#include "../../core/fields.hpp"
#include "../../core/parameter.hpp"
#include "../positions.hpp"

namespace tapehead {

/// What is learned that scales the scores:
///   layer, head  exp(s), with one s for the layer or one for each head; s starts at 0 and is held
///                within +-log(100); the temperature is 1 / exp(s)
///   qkv          a factor for each head's queries, one for its keys and one for its values, which
///                start at 1
///   lsa          a factor for each head in place of `scale`, where it starts; and a query doesn't
///                see its own position (Lee, Lee and Song, "Vision Transformer for Small-Size
///                Datasets")
enum class Temperature { none, layer, head, qkv, lsa };
inline constexpr Choice<Temperature> temperature_names[] = {{"none", Temperature::none},
                                                            {"layer", Temperature::layer},
                                                            {"head", Temperature::head},
                                                            {"qkv", Temperature::qkv},
                                                            {"lsa", Temperature::lsa}};

struct AttentionLayerOptions {
  Index width = 0;                       ///< c_q: of what queries are made from
  Index key_input = 0, value_input = 0;  ///< c_k, c_v; 0: width
  Index heads = 1;
  Index kv_heads = 0;     ///< divides heads, which share keys and values; 0: heads
  Index head_width = 0;   ///< d_k, of a query and a key; 0: width / heads
  Index value_width = 0;  ///< d_v, of a value of a head; 0: d_k
  Index out_width = 0;    ///< d_o; 0: width
  bool fused = true;  ///< one projection for queries, keys and values, all from inputs of `width`
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
  /// Makes a scheme of a program's own, in place of `position`; given these options, completed.
  std::function<std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)> scheme = {};
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// The same options, with each 0 among the sizes replaced by what it stands for. Throws ValueError
/// that names the option that doesn't fit.
AttentionLayerOptions completed(AttentionLayerOptions options);

/// The scheme that acts in an attention layer of these options, as `completed` gives them: that of
/// their `scheme`, else of their `position`; null for none.
std::unique_ptr<PositionScheme> attention_positions(const AttentionLayerOptions& options);

}  // namespace tapehead
