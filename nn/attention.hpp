#pragma once
#include <tapehead/nn/layers.hpp>

namespace tapehead {

enum class Temperature { none, layer, head };

struct AttentionLayerOptions {
  bool causal = true;
  double dropout = 0;                           ///< on the weights
  Temperature temperature = Temperature::none;  ///< learned, one for the layer or one per head
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// Multi-head self-attention with a joint projection to queries, keys and values.
struct MultiHeadAttention : Module {
  /// Throws ValueError where heads don't divide width.
  MultiHeadAttention(Index width, Index heads, const AttentionLayerOptions& options = {});
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override { v("qkv", qkv), v("temperature", temperature), v("out", out); }

  Index heads;
  AttentionLayerOptions options;
  Linear qkv;             // width -> 3 width
  Parameter temperature;  // s: (), (heads) or absent; scores are multiplied by exp(s)
  Linear out;             // width -> width
};

}  // namespace tapehead
