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
      gate(o.width, o.width, {false, o.in_init}),
      out(o.width, o.width, {o.out_bias, o.out_init}) {}

Tensor GatedHeads::forward(const Tensor& x, Pass& pass) const {
  return out(attention(x, pass) * sigmoid(gate(x, pass)), pass);
}

}  // namespace tapehead::zoo
