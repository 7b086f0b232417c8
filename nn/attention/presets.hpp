#pragma once
#include "attention.hpp"

#include <map>

namespace tapehead {

/// Attention layers as well-known code makes them. They are options, any of which may be changed:
///   MultiHeadAttention layer(presets::gpt2(64, 4));
namespace presets {

/// One head whose values are as wide as the model; one projection of 2 head_width + width, none
/// back.
AttentionLayerOptions single_head(Index width, Index head_width);
/// Causal, a fused projection and one back, both with biases.
AttentionLayerOptions gpt2(Index width, Index heads);
/// Causal and fused, each head of a width of its own choosing.
AttentionLayerOptions wide_heads(Index width, Index head_width, Index heads);
/// Every width on its own: c_q, c_k and c_v in, d_k and d_v for each head, d_o out.
AttentionLayerOptions general(Index c_q, Index c_k, Index c_v, Index d_k, Index d_v, Index d_o,
                              Index heads);
/// torch.nn.MultiheadAttention with the arguments of the same names; see load_torch.
struct TorchOptions {
  double dropout = 0;
  bool bias = true, add_bias_kv = false, add_zero_attn = false;
  Index kdim = 0, vdim = 0;  ///< 0: embed_dim
};
AttentionLayerOptions torch(Index embed_dim, Index heads, const TorchOptions& options = {});
/// A vision transformer's: pre-norm, no biases in, dropout on weights and output; no projection
/// back where one head is as wide as the model.
AttentionLayerOptions vit(Index width, Index heads, Index head_width, double dropout = 0);
/// Four projections without biases ("Attention Is All You Need").
AttentionLayerOptions transformer(Index width, Index heads);
/// Causal, neighbouring heads sharing keys and values (Ainslie et al., "GQA"); kv_heads 1 is
/// multi-query attention.
AttentionLayerOptions grouped(Index width, Index heads, Index kv_heads);
/// Embeddings of distances clipped to +-reach, for keys and values.
AttentionLayerOptions relative(Index width, Index heads, Index reach);

}  // namespace presets

/// Sets the parameters from a state_dict of torch.nn.MultiheadAttention, by name: in_proj_weight or
/// q_proj_weight, k_proj_weight, v_proj_weight; in_proj_bias; bias_k, bias_v; out_proj.weight,
/// out_proj.bias. Throws ValueError for one that is missing, not known, or of another shape, and
/// for a layer that isn't made of presets::torch, before anything is changed. No tape may be alive
/// that has recorded the layer, which must be initialised.
void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& state);

}  // namespace tapehead
