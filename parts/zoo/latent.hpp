#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// Multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1), with
/// queries that aren't compressed. Keys and values of all heads are made of one latent vector a
/// token; rotary positions act on a part of queries and keys beside it, the same key for all heads:
///   c = norm(W_c x), k_h = [W_k,h c; r], r = rotary(W_r x), v_h = W_v,h c
///   q_h = [W_q,h x; rotary(W_s,h x)], scores q k^T / sqrt(d + d_r)
/// W_k is moved to the queries and W_v behind the sum, as q^T (W_k c) = (W_k^T q)^T c: all heads
/// attend to c itself, and keys and values of heads are never made. The cache holds latent + d_r
/// numbers a token, where MultiHeadAttention's holds 2 kv_heads d.
struct Latent : Module {
  /// latent: the width of c; 0: twice a head's. d_r is half of a head's width, made even, with
  /// rotary positions or a scheme of a program's own, and 0 without.
  explicit Latent(AttentionLayerOptions options, Index latent = 0);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("down", down);
    v("norm", norm);
    v("up_keys", up_keys);
    v("up_values", up_values);
    if (positions) positions->visit(v);
    v("out", out);
  }

  AttentionLayerOptions options;              // as `causal` gives them
  Index latent, turned;                       // widths of c and of r
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query;                               // width -> heads d_r, then heads d
  Linear down;                                // width -> d_r, then latent
  RMSNorm norm;                               // over latent
  Linear up_keys, up_values;                  // latent -> heads d
  Linear out;                                 // heads d -> width
};

}  // namespace tapehead::zoo
