#pragma once
// Recurrent layers that replace attention: each token updates a state of constant size. All are
// causal, need no position encoding, and keep their state in the KV cache. In shapes, d is the
// width of a key and e the width of a value.
#include "layers.hpp"
#include "recurrence.hpp"

namespace tapehead::zoo {

/// An LSTM (Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997) with forget gates (Gers et
/// al., 2000) and an output projection. `lstm` in core/ops.hpp has the formula. Processes the
/// tokens of a sequence one by one.
struct LSTM : Module {
  explicit LSTM(const AttentionLayerOptions& options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("in", in);
    v("recurrent", recurrent);
    v("out", out);
  }

  Index hidden;         // equals the width
  Linear in;            // width -> 4 hidden: the gates i, f, g, o
  Parameter recurrent;  // (4 hidden, hidden)
  Linear out;           // hidden -> width
};

/// Gated linear attention (Yang et al., "Gated Linear Attention Transformers with
/// Hardware-Efficient Training", arXiv 2312.06635): a recurrence with a decay for each column of
/// the keys, which two small matrices compute from the token:
///   q, k, v = W_q x, W_k x, W_v x, exp(g) = sigmoid(W_2 W_1 x + b)^(1/16)
///   y = W_o (norm(heads) * silu(W_z x))
/// The scale of q is 1 / sqrt(d). The norm is an RMS norm of each head, as in the authors' code.
struct GatedLinearAttention : Module {
  /// Uses the head width of the options as d, by default half of width / heads; e is 2 d.
  explicit GatedLinearAttention(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("key", key);
    v("value", value);
    v("gate", gate);
    v("decay_down", decay_down);
    v("decay_up", decay_up);
    v("norm", norm);
    v("out", out);
  }

  static constexpr Index rank = 16;          ///< width between the matrices of the decays
  static constexpr double temperature = 16;  ///< divides the logarithms of the decays
  AttentionLayerOptions options;             // the given options, made causal
  Linear query, key;                         // width -> heads d
  Linear value, gate;                        // width -> heads e
  Linear decay_down;                         // width -> rank
  Linear decay_up;                           // rank -> heads d
  RMSNorm norm;                              // normalizes e numbers
  Linear out;                                // heads e -> width
};

/// A causal depthwise convolution over `reach` tokens: y_t = b + w_0 x_t + ... + w_3 x_(t-3). The
/// cache holds reach - 1 tokens. Tokens hidden by the padding mask count as zeros.
struct ShortConvolution : Module {
  explicit ShortConvolution(Index width);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("weight", weight);
    v("bias", bias);
  }

  static constexpr Index reach = 4;
  Parameter weight, bias;  // (reach, width), (width)
};

/// A linear layer, followed by a ShortConvolution and SiLU.
struct ConvolvedLinear : Linear {
  ConvolvedLinear(const AttentionLayerOptions& options, Index out);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, c_q) -> (.., out)
  void visit(Visitor& v) override {
    Linear::visit(v);
    v("convolution", convolution);
  }

  ShortConvolution convolution;
};

/// The decays of Mamba-2: a step size per head, dt = softplus(W x + b), and exp(g) = exp(-dt A)
/// with a learned A > 0. Initially, dt is between 0.001 and 0.1, and A between 1 and 16, uniform on
/// a logarithmic scale.
struct StepDecay {
  explicit StepDecay(Index heads);
  void visit(Visitor& v) {
    v("step_bias", step_bias);
    v("rate", rate);
  }
  Tensor step(const Tensor& x) const;          ///< W x -> dt, (batch, time, heads)
  Tensor log_decay(const Tensor& step) const;  ///< dt -> g, of the same shape

  Parameter step_bias, rate;  // (heads): b - log 0.01, and log(A / 4)
};

/// Mamba-2 (Dao and Gu, "Transformers are SSMs", arXiv 2405.21060): a recurrence with a decay per
/// head. Its keys B and queries C are the same for all heads, and its values are u dt:
///   u, B, C = silu(convolution(W x)), dt from W_dt x
///   y = W_o norm((heads + D u) * silu(W_z x))
/// The norm is an RMS norm of all heads together. There is one group of B and C.
struct Mamba2 : Module {
  /// Makes all heads together `expand` times as wide as x. d is `state`; 0 means e.
  explicit Mamba2(AttentionLayerOptions options, Index expand = 2, Index state = 0);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("key", key);
    v("value", value);
    v("gate", gate);
    v("step", step);
    decay.visit(v);
    v("skip", skip);
    v("norm", norm);
    v("out", out);
  }

  AttentionLayerOptions options;  // the given options, made causal
  Index inner;                    // heads e
  ConvolvedLinear query, key;     // C and B: width -> d
  ConvolvedLinear value;          // u: width -> inner
  Linear gate;                    // width -> inner
  Linear step;                    // W_dt: width -> heads
  StepDecay decay;
  Parameter skip;  // D, (heads, 1, 1)
  RMSNorm norm;    // normalizes `inner` numbers
  Linear out;      // inner -> width
};

/// Gated DeltaNet (Yang, Kautz and Hatamizadeh, "Gated Delta Networks", arXiv 2412.06464): the
/// recurrence with the delta rule, and decays as in Mamba-2:
///   q, k, v = silu(convolution(W x)), q and k with norm 1, beta = sigmoid(W_b x)
///   y = W_o (norm(heads) * silu(W_z x))
/// The scale of q is 1 / sqrt(d). The norm is an RMS norm of each head. e equals d.
struct GatedDeltaNet : Module {
  explicit GatedDeltaNet(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("key", key);
    v("value", value);
    v("gate", gate);
    v("beta", beta);
    v("step", step);
    decay.visit(v);
    v("norm", norm);
    v("out", out);
  }

  AttentionLayerOptions options;      // the given options, made causal
  ConvolvedLinear query, key, value;  // width -> heads d
  Linear gate;                        // width -> heads d
  Linear beta, step;                  // width -> heads
  StepDecay decay;
  RMSNorm norm;  // normalizes d numbers
  Linear out;    // heads d -> width
};

}  // namespace tapehead::zoo
