#pragma once
#include "projection.hpp"
#include "temperature.hpp"

namespace tapehead {

/// What a user chooses for attention. A model has these options, and each of its layers keeps them.
struct HeadOptions {
  void options(Fields& f);  ///< those that only attention reads

  Index width = 64;  ///< of the input
  Index heads = 4;
  Index kv_heads = 0;      ///< heads of keys and values, dividing heads, which share them; 0: heads
  Index head_width = 0;    ///< d_k, of a query and a key; 0: width / heads
  Index window = 0;        ///< keys at this distance or farther are hidden; 0: none is
  bool hide_self = false;  ///< in self-attention no query sees its own position; lsa implies it
  bool qk_norm = false;    ///< RMS norm of each head's queries and keys
  double epsilon = 1e-5;   ///< of norms
  double dropout = 0;      ///< on the weights
  Temperature temperature = Temperature::none;
};

/// What one layer has besides.
struct AttentionLayerOptions : HeadOptions, ProjectionOptions {
  bool causal = false;      ///< no query sees a later position
  Positions position = {};  ///< those that act in attention
  double scale = 0;         ///< of the scores, a constant, or where lsa starts; 0: 1 / sqrt(d_k)
  bool mask_before_scale = false;  ///< see AttentionOptions
  double out_dropout = 0;          ///< on the output
};

/// The same options, with each 0 among the sizes replaced by what it stands for. Throws ValueError
/// that names the option that doesn't fit.
AttentionLayerOptions completed(AttentionLayerOptions options);

/// Masks of one call: see AttentionOptions.
struct AttentionMasks {
  Tensor mask = {}, key_mask = {};
};

/// Multi-head attention (Vaswani et al., "Attention Is All You Need"), with options from later
/// papers.
struct MultiHeadAttention : Module {
  /// Throws ValueError that names the option that doesn't fit.
  explicit MultiHeadAttention(const AttentionLayerOptions& options);

  using Module::operator();
  /// Self-attention: (batch, time, c_q) -> (batch, time, d_o). It hides the padding of the pass.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v) -> (batch, m, d_o). With
  /// a cache in the pass, self-attention adds its keys and values to what the cache holds, and
  /// cross-attention keeps those of the first call. Padding among the keys is for `masks` to hide,
  /// not for the pass.
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                    const AttentionMasks& masks = {}) const;
  void visit(Visitor& v) override;

  AttentionLayerOptions options;              // as `completed` gives them
  AttentionProjection projection;             // to queries, keys and values
  std::unique_ptr<PositionScheme> positions;  // null for none
  Parameter temperature;                      // layer, head: s, () or (heads)
  Parameter scale;                            // lsa: (heads)
  std::optional<Linear> out;                  // heads d_v -> d_o

 private:
  Tensor attend(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                const AttentionMasks& masks) const;
  AttentionOptions op_options(Pass& pass, DType dtype) const;
};

}  // namespace tapehead
