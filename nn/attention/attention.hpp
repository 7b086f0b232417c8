#pragma once
#include "projection.hpp"
#include "temperature.hpp"

namespace tapehead {

/// The attention options that a user sets, once per model; each layer has a copy.
struct HeadOptions {
  void options(Fields& f);  ///< declares the options that only attention reads

  Index width = 64;  ///< width of the input, c_q
  Index heads = 4;
  Index kv_heads = 0;      ///< heads of keys and values (GQA); must divide heads (0: heads)
  Index head_width = 0;    ///< width of a query and a key, d_k (0: width / heads)
  Index window = 0;        ///< hide keys at this distance or farther (0: no window)
  bool hide_self = false;  ///< self-attention: no query sees its own position; always true with lsa
  bool tied_kv = false;    ///< the values are the projected keys, before norm and rotation
  bool qk_norm = false;    ///< RMS norm of the queries and keys of each head
  double epsilon = 1e-5;   ///< epsilon of all norms
  double dropout = 0;      ///< dropout of the attention weights
  Temperature temperature = Temperature::none;
};

/// The options of one layer, set by the model. The base ProjectionOptions has the other sizes.
struct AttentionLayerOptions : HeadOptions, ProjectionOptions {
  bool causal = false;      ///< no query sees a later position
  Index tokens = 0;         ///< longest sequence; only random positions need it
  Positions position = {};  ///< position schemes that act in attention
  double scale = 0;  ///< factor of the scores, or its initial value with lsa (0: 1 / sqrt(d_k))
  bool mask_before_scale = false;  ///< see AttentionOptions
  double out_dropout = 0;          ///< dropout of the output
};

/// Replaces sizes of 0 by their defaults. Throws a ValueError that names the invalid option.
AttentionLayerOptions with_defaults(AttentionLayerOptions options);

/// The masks of one call; see AttentionOptions.
struct AttentionMasks {
  Tensor mask = {}, key_mask = {};
};

/// Multi-head attention (Vaswani et al., "Attention Is All You Need"), with options from later
/// papers. The inputs have c_q, c_k and c_v features, and the output has d_o. In each head, queries
/// and keys have d_k features, and values have d_v.
struct MultiHeadAttention : Module {
  /// Throws a ValueError that names the invalid option.
  explicit MultiHeadAttention(const AttentionLayerOptions& options);

  using Module::operator();
  /// Computes self-attention, hiding Pass::padding: (batch, time, c_q) -> (batch, time, d_o).
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// Computes attention: queries (batch, m, c_q), keys (batch, n, c_k), values (batch, n, c_v) ->
  /// (batch, m, d_o). With a cache in the pass, self-attention appends its keys and values to the
  /// cache, and cross-attention reuses the keys and values of its first call. `masks` hides padding
  /// keys; Pass::padding isn't used.
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                    const AttentionMasks& masks = {}) const;
  void visit(Visitor& v) override;

  AttentionLayerOptions options;              // with defaults filled in
  AttentionProjection projection;             // computes queries, keys and values
  std::unique_ptr<PositionScheme> positions;  // may be null
  Parameter temperature;                      // shape () with Temperature::layer, (heads) with head
  Parameter scale;                            // shape (heads); only with Temperature::lsa
  std::optional<Linear> out;                  // heads d_v -> d_o

 private:
  Tensor attend(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                const AttentionMasks& masks) const;
  AttentionOptions op_options(Pass& pass, DType dtype) const;
};

}  // namespace tapehead
