#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// Attention whose heads' output is gated, element by element, by what the token itself says (Qiu
/// et al., "Gated Attention for Large Language Models", arXiv 2505.06708, the gate after the
/// attention):
///   y = W_o (heads(x) * sigmoid(W_g x))
/// A head that has nothing to say can be closed, and needs no token to rest on.
struct GatedHeads : Module {
  explicit GatedHeads(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("attention", attention);
    v("gate", gate);
    v("out", out);
  }

  MultiHeadAttention attention;  // without its projection back
  Linear gate;                   // width -> heads d
  Linear out;                    // heads d -> width
};

}  // namespace tapehead::zoo
