#include "gated_heads.hpp"

namespace tapehead::zoo {
namespace {

AttentionLayerOptions without_projection(AttentionLayerOptions options) {
  options.project_out = false;
  return causal(options);
}

}  // namespace

GatedHeads::GatedHeads(AttentionLayerOptions o)
    : attention(without_projection(o)),
      gate(o.width, attention.options.heads * attention.options.value_width, {false, o.in_init}),
      out(projection_out(attention.options)) {}

Tensor GatedHeads::forward(const Tensor& x, Pass& pass) const {
  return out(attention(x, pass) * sigmoid(gate(x, pass)), pass);
}

}  // namespace tapehead::zoo
