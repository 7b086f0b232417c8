#pragma once
#include "attention.hpp"

#include <map>

namespace tapehead {

/// Options of well-known attention layers. Change any of them before you make the layer:
///   MultiHeadAttention layer(presets::gpt2(64, 4));
namespace presets {

/// Returns options for one head whose values are as wide as the model. A single input projection
/// has 2 head_width + width columns, and there is no output projection.
AttentionLayerOptions single_head(Index width, Index head_width);
/// Returns options for GPT-2's causal attention: a fused input projection and an output projection,
/// both with biases.
AttentionLayerOptions gpt2(Index width, Index heads);
/// Returns options for causal attention with a fused projection and heads of any width.
AttentionLayerOptions wide_heads(Index width, Index head_width, Index heads);
/// Returns options with every width given: c_q, c_k and c_v of the inputs, d_k and d_v of each
/// head, and d_o of the output.
AttentionLayerOptions general(Index c_q, Index c_k, Index c_v, Index d_k, Index d_v, Index d_o,
                              Index heads);
/// The options of torch.nn.MultiheadAttention, under the same names; see load_torch.
struct TorchOptions {
  double dropout = 0;
  bool bias = true, add_bias_kv = false, add_zero_attn = false;
  Index kdim = 0, vdim = 0;  ///< 0: embed_dim
};
/// Returns options for torch.nn.MultiheadAttention.
AttentionLayerOptions torch(Index embed_dim, Index heads, const TorchOptions& options = {});
/// Returns options for a vision transformer: pre-norm, no input biases, dropout of attention
/// weights and output. It has no output projection if there is one head as wide as the model.
AttentionLayerOptions vit(Index width, Index heads, Index head_width, double dropout = 0);
/// Returns options for four projections without biases ("Attention Is All You Need").
AttentionLayerOptions transformer(Index width, Index heads);
/// Returns options for causal grouped-query attention, in which adjacent heads share keys and
/// values (Ainslie et al., "GQA"). kv_heads = 1 is multi-query attention.
AttentionLayerOptions grouped(Index width, Index heads, Index kv_heads);
/// Returns options with relative positions: embeddings of distances, clipped to +-reach, for keys
/// and values.
AttentionLayerOptions relative(Index width, Index heads, Index reach);

}  // namespace presets

/// Sets the parameters from a state_dict of torch.nn.MultiheadAttention, by name: in_proj_weight or
/// q_proj_weight, k_proj_weight, v_proj_weight; in_proj_bias; bias_k, bias_v; out_proj.weight,
/// out_proj.bias. Throws ValueError, before any change, if a tensor is missing, unknown or has
/// another shape, or if the layer wasn't made from presets::torch. The layer must be initialised,
/// and no tape may be watching its parameters.
void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& state);

}  // namespace tapehead
