#pragma once
// Attention layers from later papers. Each is causal self-attention, made of primitive ops and the
// attention op. It takes the options of a MultiHeadAttention, and caches past tokens in the pass.
#include "../../nn/attention/attention.hpp"

namespace tapehead::zoo {

/// Differential attention (Ye et al., "Differential Transformer", arXiv 2410.05258). Each head has
/// two maps of attention, of half its width, over the same values; what both see is noise, and is
/// subtracted:
///   y_h = (softmax(q1 k1^T / sqrt(d)) - lambda softmax(q2 k2^T / sqrt(d))) v, v of width 2d
///   lambda = exp(l_q1 . l_k1) - exp(l_q2 . l_k2) + start, one for the layer
/// and y_h, RMS-normalised and multiplied by 1 - start, goes through W_o.
struct Differential : Module {
  /// start: lambda's first value; the paper's is 0.8 - 0.6 exp(-0.3 l) in layer l, and 0.8 does as
  /// well. Throws ValueError unless 2 heads divide the width.
  explicit Differential(AttentionLayerOptions options, double start = 0.8);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("lambda_q1", lambda_q1);
    v("lambda_k1", lambda_k1);
    v("lambda_q2", lambda_q2);
    v("lambda_k2", lambda_k2);
    v("norm", norm);
    v("out", out);
  }
  Tensor lambda() const;  ///< ()

  AttentionLayerOptions options;              // as `causal` gives them: d wide, values 2d
  AttentionProjection projection;             // queries of all first maps, then of all second ones
  std::unique_ptr<PositionScheme> positions;  // null for none
  Parameter lambda_q1, lambda_k1, lambda_q2, lambda_k2;  // (d)
  RMSNorm norm;                                          // over 2d
  Linear out;                                            // heads 2d -> width
  double start;
};

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
  Index latent, rotary_width;                 // widths of c and of r
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query;                               // width -> heads d_r, then heads d
  Linear down;                                // width -> d_r, then latent
  RMSNorm norm;                               // over latent
  Linear up_keys, up_values;                  // latent -> heads d
  Linear out;                                 // heads d -> width
};

/// Attention without a softmax, whose cost is linear in the time (Katharopoulos et al.,
/// "Transformers are RNNs", arXiv 2006.16236, equations 9 to 12):
///   y_i = phi(q_i) S_i / phi(q_i) z_i, S_i = sum over j <= i of phi(k_j)^T v_j, z_i likewise of
///   phi(k_j)^T, with phi(x) = elu(x) + 1
/// Within a chunk of tokens the products of queries and keys are made; chunks before it are seen
/// through their S and z. Its cache is S and z, of one size whatever the time. There are no weights
/// to capture, nor to drop.
struct LinearAttention : Module {
  explicit LinearAttention(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    v("out", out);
  }

  static constexpr Index chunk = 64;  ///< tokens
  AttentionLayerOptions options;      // as `causal` gives them
  AttentionProjection projection;
  Linear out;  // heads d -> width
};

/// Attention to a window of near keys and to the first tokens, on which heads rest that look for
/// nothing (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", arXiv
/// 2309.17453). Its cost is linear in the time, and its cache holds sinks + window - 1 tokens at
/// most. The parameters and their names are those of MultiHeadAttention, so that it can run with
/// weights that were trained without a window.
struct Sinks : Module {
  /// Positions are rotary, or act elsewhere; throws ValueError for others. A window of 0: all keys.
  explicit Sinks(AttentionLayerOptions options, Index sinks = 4);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("out", out);
  }

  AttentionLayerOptions options;  // as `causal` gives them
  Index sinks;
  AttentionProjection projection;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear out;                                 // heads d -> width

 private:
  /// The query at position i sees key j <= i where i - j < window or j < sinks.
  /// q (batch, m, heads d), of the last of `total` tokens; k and v (batch, n, kv_heads d), of the
  /// first `sinks` tokens and the last ones -> (batch, m, heads d). It takes a mask of m x n.
  Tensor attend_masked(const Tensor& q, const Tensor& k, const Tensor& v, Index total,
                       Pass& pass) const;
  /// The same of all tokens, at a cost that is linear in their number: each block of `window`
  /// queries sees the sinks and 2 window - 1 near keys.
  Tensor attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, Pass& pass) const;
  /// How many keys and values have to be kept for the tokens to come.
  Index kept() const { return sinks + options.window - 1; }
};

/// SwitchHead (Csordas et al., "SwitchHead: Accelerating Transformers with Mixture-of-Experts
/// Attention", arXiv 2312.07987, equations 7 to 10). A head's value and output projections are each
/// a mixture of experts, of which a token uses the `active` ones with the highest gates; so a few
/// heads, and matrices of attention, can do the work of many.
///   v_h = sum over its experts e of s_e (W_v,h,e x), s = sigmoid(W_s,h x)
///   y = sum over heads and experts of t_e (W_o,h,e a_h), t = sigmoid(W_t,h x)
/// where a_h is what head h has gathered, and gates below the highest are 0. All experts are
/// computed, and those that are not used multiplied by 0: a kernel could leave them out.
struct SwitchHead : Module {
  explicit SwitchHead(AttentionLayerOptions options, Index experts = 4, Index active = 2);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("key", key);
    v("value_router", value_router);
    v("out_router", out_router);
    v("value", value);
    if (positions) positions->visit(v);
    v("out", out);
  }
  /// Of x (batch, time, width), of values or of outputs: (batch, time, heads, experts), 0 where an
  /// expert isn't used.
  Tensor gates(const Linear& router, const Tensor& x, Pass& pass) const;

  AttentionLayerOptions options;  // as `causal` gives them, with as many heads of keys
  Index experts, active;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query, key;                          // width -> heads d
  Linear value_router, out_router;            // width -> heads experts
  Linear value;                               // width -> heads experts d
  Linear out;                                 // heads experts d -> width
};

// Helpers that the layers share.

/// The options, completed and causal.
AttentionLayerOptions causal(AttentionLayerOptions options);
/// The same. Throws ValueError unless each head has keys and values of its own.
AttentionLayerOptions require_own_keys(const char* layer, const AttentionLayerOptions& options);

/// The layer's last projection, heads d -> width.
Linear projection_out(const AttentionLayerOptions& options);

/// x (batch, time, heads d) -> (batch, heads, time, d).
Tensor split_heads(const Tensor& x, Index heads);
/// x (batch, heads, time, d) -> (batch, time, heads d).
Tensor merge_heads(const Tensor& x);

/// The position of a pass's first token: the number of those that its cache has seen.
Index first_position(const Pass& pass);
/// Puts new keys and values (batch, time, ...) behind those that a layer has in the cache of the
/// pass, and holds both; without a cache they stay as they are.
void append_to_cache(Pass& pass, const Module& layer, Tensor& keys, Tensor& values);

/// What the options of a layer tell the attention op of so many queries and keys.
AttentionOptions op_options(const AttentionLayerOptions& options, const PositionScheme* positions,
                            Index queries, Index keys, DType dtype, Pass& pass);

}  // namespace tapehead::zoo
