#pragma once
// Attention layers from later papers: causal self-attention built from primitive ops and the
// attention op. Each takes the options of MultiHeadAttention, supports the KV cache and hides
// padding. In shapes, d is the head width and `heads d` a product.
#include "../../nn/attention/attention.hpp"

namespace tapehead::zoo {

/// Differential attention (Ye et al., "Differential Transformer", arXiv 2410.05258). Each head
/// computes two attention maps with half the query and key width and applies both to the same
/// values. Subtracting one map from the other cancels the noise in both:
///   y_h = (softmax(q1 k1^T / sqrt(d)) - lambda softmax(q2 k2^T / sqrt(d))) v, v of width 2d
///   lambda = exp(l_q1 . l_k1) - exp(l_q2 . l_k2) + start, one per layer
/// Each y_h is RMS-normalized and multiplied by 1 - start. W_o then combines the heads.
struct Differential : Module {
  /// `start` is lambda's initial value. The paper uses 0.8 - 0.6 exp(-0.3 l) in layer l and reports
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
  Tensor lambda() const;  ///< a scalar

  AttentionLayerOptions options;   // the given options, made causal; values have width 2d
  AttentionProjection projection;  // queries and keys of all first maps, then of all second maps
  std::unique_ptr<PositionScheme> positions;             // null: no positions
  Parameter lambda_q1, lambda_k1, lambda_q2, lambda_k2;  // (d)
  RMSNorm norm;                                          // normalizes 2d numbers
  Linear out;                                            // heads 2d -> width
  double start;
};

/// Gated attention (Qiu et al., "Gated Attention for Large Language Models", arXiv 2505.06708), in
/// the variant that gates the attention's result. Gates, computed from the token, multiply each
/// element of the heads' output:
///   y = W_o (heads(x) * sigmoid(W_g x))
/// A head whose gates are closed has no effect, so it needs no attention sink.
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
/// uncompressed queries. One latent vector c per token determines the keys and values of all heads.
/// Rotary positions act on additional elements of queries and keys; these elements r of the keys
/// are the same for all heads:
///   c = norm(W_c x), k_h = [W_k,h c; r], r = rotary(W_r x), v_h = W_v,h c
///   q_h = [W_q,h x; rotary(W_s,h x)], scores q k^T / sqrt(d + d_r)
/// Because q^T (W_k c) = (W_k^T q)^T c, W_k is applied to the queries, and W_v to the weighted sum.
/// So all heads attend to c itself, and the layer never computes their keys and values. The cache
/// holds latent + d_r numbers per token, compared with 2 kv_heads d for MultiHeadAttention.
struct Latent : Module {
  /// `latent` is the width of c; 0 means twice the head width. The width d_r of r is half the head
  /// width, rounded to an even number, if positions are rotary or custom; otherwise it is 0.
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

  AttentionLayerOptions options;              // the given options, made causal
  Index latent, rotary_width;                 // widths of c and of r
  std::unique_ptr<PositionScheme> positions;  // null: no positions
  Linear query;                               // width -> heads d_r, then heads d
  Linear down;                                // width -> d_r, then latent
  RMSNorm norm;                               // normalizes `latent` numbers
  Linear up_keys, up_values;                  // latent -> heads d
  Linear out;                                 // heads d -> width
};

/// Linear attention: without a softmax, at a cost linear in time (Katharopoulos et al.,
/// "Transformers are RNNs", arXiv 2006.16236, equations 9 to 12):
///   y_i = phi(q_i) S_i / phi(q_i) z_i, phi(x) = elu(x) + 1
///   S_i = sum over j <= i of phi(k_j)^T v_j, z_i = sum over j <= i of phi(k_j)^T
/// The layer computes the matmul of queries and keys only within chunks; earlier chunks contribute
/// through S and z. The cache holds S and z, so its size doesn't grow with time. There are no
/// attention weights to capture or to drop out.
struct LinearAttention : Module {
  explicit LinearAttention(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    v("out", out);
  }

  static constexpr Index chunk = 64;  ///< tokens per chunk
  AttentionLayerOptions options;      // the given options, made causal
  AttentionProjection projection;
  Linear out;  // heads d -> width
};

/// Attention to a window of recent keys and to the first tokens, the attention sinks (Xiao et al.,
/// "Efficient Streaming Language Models with Attention Sinks", arXiv 2309.17453). The cost is
/// linear in time without padding, and the cache holds at most sinks + window - 1 tokens.
/// Parameters are named as in MultiHeadAttention, so the layer can load weights trained without a
/// window.
struct Sinks : Module {
  /// A window of 0 means all keys. Throws ValueError for positions that act in the attention,
  /// except rotary ones.
  explicit Sinks(AttentionLayerOptions options, Index sinks = 4);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("out", out);
  }

  AttentionLayerOptions options;  // the given options, made causal
  Index sinks;
  AttentionProjection projection;
  std::unique_ptr<PositionScheme> positions;  // null: no positions
  Linear out;                                 // heads d -> width

 private:
  /// Computes attention with an (m, n) mask: the query at position i sees the key at j <= i if
  /// i - j < window or j < sinks. q (batch, m, heads d) holds the last m of `total` tokens. k and v
  /// (batch, n, kv_heads d) hold the first `sinks` tokens and the most recent ones. Returns
  /// (batch, m, heads d).
  Tensor attend_masked(const Tensor& q, const Tensor& k, const Tensor& v, Index total,
                       Pass& pass) const;
  /// Computes attention with the same mask for all tokens, at a cost linear in time: each block of
  /// `window` queries sees the sinks and the 2 window - 1 most recent keys.
  Tensor attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, Pass& pass) const;
  /// Returns how many tokens the cache must keep.
  Index kept() const { return sinks + options.window - 1; }
};

/// SwitchHead (Csordas et al., "SwitchHead: Accelerating Transformers with Mixture-of-Experts
/// Attention", arXiv 2312.07987, equations 7 to 10). The value and output projections of each head
/// are mixtures of experts. A token uses only the `active` experts with the highest gates, so a few
/// heads can replace many:
///   v_h = sum over its experts e of s_e (W_v,h,e x), s = sigmoid(W_s,h x)
///   y = sum over heads and experts of t_e (W_o,h,e a_h), t = sigmoid(W_t,h x)
/// where a_h is the weighted sum of head h, and all gates but the `active` highest are 0. This
/// implementation computes all experts and multiplies the inactive ones by 0.
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
  /// Returns the gates that a router computes from x (batch, time, width):
  /// (batch, time, heads, experts). The gate of an inactive expert is 0.
  Tensor gates(const Linear& router, const Tensor& x, Pass& pass) const;

  AttentionLayerOptions options;  // the given options, made causal; kv_heads equals heads
  Index experts, active;
  std::unique_ptr<PositionScheme> positions;  // null: no positions
  Linear query, key;                          // width -> heads d
  Linear value_router, out_router;            // width -> heads experts
  Linear value;                               // width -> heads experts d
  Linear out;                                 // heads experts d -> width
};

// Helpers shared by the layers.

/// Completes the options with their defaults and makes the attention causal.
AttentionLayerOptions causal(AttentionLayerOptions options);
/// Returns causal(options). Throws ValueError unless kv_heads equals heads.
AttentionLayerOptions require_own_keys(const char* layer, const AttentionLayerOptions& options);

/// Returns a layer's output projection, from heads * value width to the output width.
Linear projection_out(const AttentionLayerOptions& options);

/// Maps x (batch, time, heads d) to (batch, heads, time, d).
Tensor split_heads(const Tensor& x, Index heads);
/// Maps x (batch, heads, time, d) to (batch, time, heads d).
Tensor merge_heads(const Tensor& x);

/// Returns the position of the first token of a pass: the number of cached tokens.
Index first_position(const Pass& pass);
/// Appends keys and values (batch, time, ...) of new tokens to the layer's cache entry, and sets
/// both arguments to the keys and values of all tokens. Without a cache, leaves them unchanged.
void append_to_cache(Pass& pass, const Module& layer, Tensor& keys, Tensor& values);

/// Returns the attention op's options for these numbers of queries and keys. They hide the pass's
/// padding.
AttentionOptions op_options(const AttentionLayerOptions& options, const PositionScheme* positions,
                            Index queries, Index keys, DType dtype, Pass& pass);

}  // namespace tapehead::zoo
