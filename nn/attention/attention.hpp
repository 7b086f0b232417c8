#pragma once
#include "projection.hpp"
#include "temperature.hpp"

namespace tapehead {

/// The attention options that a user sets. A model has them, and each of its layers has a copy.
struct HeadOptions {
  void options(Fields& f);  ///< declares those that only attention reads

  Index width = 64;  ///< of the input, c_q
  Index heads = 4;
  Index kv_heads = 0;      ///< of keys and values (GQA): a divisor of heads; 0: heads
  Index head_width = 0;    ///< d_k, of a query and a key; 0: width / heads
  Index window = 0;        ///< keys at this distance or farther are hidden; 0: none
  bool hide_self = false;  ///< of self-attention: no query sees its own position; lsa implies it
  bool qk_norm = false;    ///< RMS norm of each head's queries and keys
  double epsilon = 1e-5;   ///< of norms
  double dropout = 0;      ///< of the attention weights
  Temperature temperature = Temperature::none;
};

/// The options of one layer, which the model sets. ProjectionOptions has its other sizes.
struct AttentionLayerOptions : HeadOptions, ProjectionOptions {
  bool causal = false;      ///< no query sees a later position
  Positions position = {};  ///< position schemes that act in attention
  double scale = 0;         ///< factor of the scores, with lsa its initial value; 0: 1 / sqrt(d_k)
  bool mask_before_scale = false;  ///< see AttentionOptions
  double out_dropout = 0;          ///< of the output
};

/// Returns the options with each size of 0 replaced by its default. Throws ValueError that names
/// the option that doesn't fit.
AttentionLayerOptions with_defaults(AttentionLayerOptions options);

/// The masks of one call: see the op's AttentionOptions.
struct AttentionMasks {
  Tensor mask = {}, key_mask = {};
};

/// Multi-head attention (Vaswani et al., "Attention Is All You Need"), with options from later
/// papers. Its inputs have c_q, c_k and c_v features, and its output d_o. A query and a key of a
/// head have d_k features, and a value d_v.
struct MultiHeadAttention : Module {
  /// Throws ValueError that names the option that doesn't fit.
  explicit MultiHeadAttention(const AttentionLayerOptions& options);

  using Module::operator();
  /// Self-attention: (batch, time, c_q) -> (batch, time, d_o). Hides the padding of the pass.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v) -> (batch, m, d_o). With
  /// a cache in the pass, self-attention appends its keys and values to the cache, and
  /// cross-attention keeps those of the first call. Hide padding among the keys by `masks`; the
  /// padding of the pass isn't used.
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                    const AttentionMasks& masks = {}) const;
  void visit(Visitor& v) override;

  AttentionLayerOptions options;              // completed
  AttentionProjection projection;             // to queries, keys and values
  std::unique_ptr<PositionScheme> positions;  // null for none
  Parameter temperature;                      // Temperature::layer: (); head: (heads)
  Parameter scale;                            // Temperature::lsa: (heads)
  std::optional<Linear> out;                  // heads d_v -> d_o

 private:
  Tensor attend(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                const AttentionMasks& masks) const;
  AttentionOptions op_options(Pass& pass, DType dtype) const;
};

}  // namespace tapehead
