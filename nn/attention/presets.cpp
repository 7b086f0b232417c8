#include "presets.hpp"

namespace tapehead {
namespace presets {
namespace {

AttentionLayerOptions sized(Index width, Index heads, Index head_width = 0) {
  AttentionLayerOptions o;
  o.width = width;
  o.heads = heads;
  o.head_width = head_width;
  return o;
}

}  // namespace

AttentionLayerOptions single_head(Index width, Index head_width) {
  AttentionLayerOptions o = sized(width, 1, head_width);
  o.value_width = width;
  o.project_out = false;
  return o;
}

AttentionLayerOptions gpt2(Index width, Index heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.causal = true;
  return o;
}

AttentionLayerOptions wide_heads(Index width, Index head_width, Index heads) {
  AttentionLayerOptions o = sized(width, heads, head_width);
  o.causal = true;
  return o;
}

AttentionLayerOptions general(Index c_q, Index c_k, Index c_v, Index d_k, Index d_v, Index d_o,
                              Index heads) {
  AttentionLayerOptions o = sized(c_q, heads, d_k);
  o.fused = false;
  o.key_input = c_k;
  o.value_input = c_v;
  o.value_width = d_v;
  o.out_width = d_o;
  return o;
}

AttentionLayerOptions torch(Index embed_dim, Index heads, const TorchOptions& options) {
  AttentionLayerOptions o = sized(embed_dim, heads);
  o.key_input = options.kdim;
  o.value_input = options.vdim;
  o.fused = (options.kdim == 0 || options.kdim == embed_dim) &&
            (options.vdim == 0 || options.vdim == embed_dim);
  o.in_bias = o.out_bias = options.bias;
  o.bias_kv = options.add_bias_kv;
  o.zero_kv = options.add_zero_attn;
  o.dropout = options.dropout;
  return o;
}

AttentionLayerOptions vit(Index width, Index heads, Index head_width, double dropout) {
  AttentionLayerOptions o = sized(width, heads, head_width);
  o.pre_norm = true;
  o.in_bias = false;
  o.dropout = o.out_dropout = dropout;
  o.project_out = heads != 1 || head_width != width;
  return o;
}

AttentionLayerOptions transformer(Index width, Index heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.fused = false;
  o.in_bias = o.out_bias = false;
  return o;
}

AttentionLayerOptions grouped(Index width, Index heads, Index kv_heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.causal = true;
  o.kv_heads = kv_heads;
  o.in_bias = o.out_bias = false;
  return o;
}

AttentionLayerOptions relative(Index width, Index heads, Index reach) {
  AttentionLayerOptions o = sized(width, heads);
  o.position = RelativePositions{reach};
  return o;
}

}  // namespace presets

}  // namespace tapehead
