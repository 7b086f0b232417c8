#pragma once
// Attention layers from later papers. Each is causal self-attention built from primitive ops and
// the attention op. Each takes the options of MultiHeadAttention and supports the KV cache.
#include "../../nn/attention/attention.hpp"

namespace tapehead::zoo {

/// Differential attention (Ye et al., "Differential Transformer", arXiv 2410.05258). Each head
/// computes two attention maps of half its width over the same values. Subtracting one from the
/// other cancels the noise that both contain:
///   y_h = (softmax(q1 k1^T / sqrt(d)) - lambda softmax(q2 k2^T / sqrt(d))) v, v of width 2d
///   lambda = exp(l_q1 . l_k1) - exp(l_q2 . l_k2) + start, one per layer
/// Each y_h is RMS-normalized and multiplied by 1 - start; W_o then combines the heads.
struct Differential : Module {
  /// start: lambda's initial value. The paper uses 0.8 - 0.6 exp(-0.3 l) in layer l and reports
  /// that 0.8 works equally well. Throws ValueError unless 2 * heads divides the width.
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
  Tensor lambda() const;  ///< the current lambda, ()

  AttentionLayerOptions options;   // completed by `causal`; keys of width d, values of 2d
  AttentionProjection projection;  // queries of all first maps, then of all second maps
  std::unique_ptr<PositionScheme> positions;             // null for none
  Parameter lambda_q1, lambda_k1, lambda_q2, lambda_k2;  // (d)
  RMSNorm norm;                                          // over 2d
  Linear out;                                            // heads 2d -> width
  double start;
};

/// Gated attention (Qiu et al., "Gated Attention for Large Language Models", arXiv 2505.06708; the
/// variant with the gate after the attention). A function of the token gates each element of the
/// heads' output:
///   y = W_o (heads(x) * sigmoid(W_g x))
/// A closed gate silences a head, so the head needs no attention sink.
struct GatedHeads : Module {
  explicit GatedHeads(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("attention", attention);
    v("gate", gate);
    v("out", out);
  }

  MultiHeadAttention attention;  // without an output projection
  Linear gate;                   // width -> heads d
  Linear out;                    // heads d -> width
};

/// Multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1), with
/// uncompressed queries. One latent vector per token determines the keys and values of all heads.
/// Rotary positions act on an additional part of queries and keys; all heads share that key part:
///   c = norm(W_c x), k_h = [W_k,h c; r], r = rotary(W_r x), v_h = W_v,h c
///   q_h = [W_q,h x; rotary(W_s,h x)], scores q k^T / sqrt(d + d_r)
/// Because q^T (W_k c) = (W_k^T q)^T c, W_k is applied to the queries and W_v to the weighted sum.
/// All heads attend to c itself and never compute their keys and values. The cache holds
/// latent + d_r numbers per token, compared with 2 kv_heads d for MultiHeadAttention.
struct Latent : Module {
  /// latent: width of c; 0 means twice the head width. With rotary positions or a custom scheme,
  /// d_r is half the head width, rounded to an even number; otherwise it is 0.
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

  AttentionLayerOptions options;              // completed by `causal`
  Index latent, rotary_width;                 // widths of c and of r
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query;                               // width -> heads d_r, then heads d
  Linear down;                                // width -> d_r, then latent
  RMSNorm norm;                               // over latent
  Linear up_keys, up_values;                  // latent -> heads d
  Linear out;                                 // heads d -> width
};

/// Linear attention: without a softmax, at a cost linear in time (Katharopoulos et al.,
/// "Transformers are RNNs", arXiv 2006.16236, equations 9 to 12):
///   y_i = phi(q_i) S_i / phi(q_i) z_i, phi(x) = elu(x) + 1
///   S_i = sum over j <= i of phi(k_j)^T v_j, z_i = sum over j <= i of phi(k_j)^T
/// Within a chunk, the layer multiplies queries and keys directly; earlier chunks contribute
/// through S and z. The cache holds S and z, so its size doesn't grow with time. There are no
/// attention weights, so none can be captured or dropped out.
struct LinearAttention : Module {
  explicit LinearAttention(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    v("out", out);
  }

  static constexpr Index chunk = 64;  ///< tokens
  AttentionLayerOptions options;      // completed by `causal`
  AttentionProjection projection;
  Linear out;  // heads d -> width
};

/// Sliding-window attention with attention sinks: to recent keys and to the first tokens (Xiao et
/// al., "Efficient Streaming Language Models with Attention Sinks", arXiv 2309.17453). The cost is
/// linear in time, and the cache holds at most sinks + window - 1 tokens. Parameters have the names
/// of MultiHeadAttention, so the layer also runs with weights trained without a window.
struct Sinks : Module {
  /// A window of 0 means all keys. Throws ValueError for positions that act in the attention, other
  /// than rotary ones.
  explicit Sinks(AttentionLayerOptions options, Index sinks = 4);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("out", out);
  }

  AttentionLayerOptions options;  // completed by `causal`
  Index sinks;
  AttentionProjection projection;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear out;                                 // heads d -> width

 private:
  /// Computes attention with an (m, n) mask: the query at position i sees the key at j <= i if i -
  /// j < window or j < sinks. The queries q (batch, m, heads d) are the last m of `total` tokens.
  /// The keys and values, (batch, n, kv_heads d), are the first `sinks` tokens and the last ones.
  /// Returns (batch, m, heads d).
  Tensor attend_masked(const Tensor& q, const Tensor& k, const Tensor& v, Index total,
                       Pass& pass) const;
  /// Computes the same for all tokens at a cost linear in their number: each block of `window`
  /// queries sees the sinks and 2 window - 1 recent keys.
  Tensor attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, Pass& pass) const;
  /// Returns how many keys and values the cache must keep for later tokens.
  Index kept() const { return sinks + options.window - 1; }
};

/// SwitchHead (Csordas et al., "SwitchHead: Accelerating Transformers with Mixture-of-Experts
/// Attention", arXiv 2312.07987, equations 7 to 10). The value and output projections of each head
/// are mixtures of experts. A token uses the `active` experts with the highest gates, so a few
/// heads can replace many:
///   v_h = sum over its experts e of s_e (W_v,h,e x), s = sigmoid(W_s,h x)
///   y = sum over heads and experts of t_e (W_o,h,e a_h), t = sigmoid(W_t,h x)
/// where a_h is the weighted sum of head h, and all gates but the highest are 0. This layer
/// computes all experts and multiplies the inactive ones by 0; it doesn't skip them.
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
  /// Returns the gates of values or outputs, (batch, time, heads, experts), for x (batch, time,
  /// width). The gate of an inactive expert is 0.
  Tensor gates(const Linear& router, const Tensor& x, Pass& pass) const;

  AttentionLayerOptions options;  // completed by `causal`; kv_heads equals heads
  Index experts, active;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query, key;                          // width -> heads d
  Linear value_router, out_router;            // width -> heads experts
  Linear value;                               // width -> heads experts d
  Linear out;                                 // heads experts d -> width
};

// Helpers shared by the layers.

/// Returns the options, completed and made causal.
AttentionLayerOptions causal(AttentionLayerOptions options);
/// Does the same, and throws ValueError unless kv_heads equals heads.
AttentionLayerOptions require_own_keys(const char* layer, const AttentionLayerOptions& options);

/// Returns the layer's output projection, heads d -> width.
Linear projection_out(const AttentionLayerOptions& options);

/// Maps x (batch, time, heads d) to (batch, heads, time, d).
Tensor split_heads(const Tensor& x, Index heads);
/// Maps x (batch, heads, time, d) to (batch, time, heads d).
Tensor merge_heads(const Tensor& x);

/// Returns the position of the pass's first token: the number of tokens in its cache.
Index first_position(const Pass& pass);
/// Appends new keys and values (batch, time, ...) to the layer's entries in the pass's cache, and
/// sets both arguments to the whole sequences. Without a cache, leaves them unchanged.
void append_to_cache(Pass& pass, const Module& layer, Tensor& keys, Tensor& values);

/// Returns the attention op's options for these numbers of queries and keys.
AttentionOptions op_options(const AttentionLayerOptions& options, const PositionScheme* positions,
                            Index queries, Index keys, DType dtype, Pass& pass);

}  // namespace tapehead::zoo
