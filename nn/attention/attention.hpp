#pragma once
#include "options.hpp"
#include "projection.hpp"

namespace tapehead {

/// See AttentionOptions.
struct AttentionMasks {
  Tensor mask = {}, key_mask = {};
};

/// Multi-head attention (Vaswani et al., "Attention Is All You Need"), with what later papers added
/// to it: see AttentionLayerOptions.
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

  /// What a learned temperature multiplies scores by now, by name: exp(s) as "scores", or the
  /// factors of qkv and lsa; empty without temperature.
  std::vector<std::pair<std::string, std::vector<double>>> learned_scales() const;

  AttentionLayerOptions options;  // as `completed` gives them
  AttentionProjection projection;
  Parameter temperature;                      // layer, head: s, () or (heads)
  Parameter scale;                            // lsa: (heads)
  std::unique_ptr<PositionScheme> positions;  // null for none
  std::optional<Linear> out;                  // heads d_v -> d_o

 private:
  Tensor attend(const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
                const AttentionMasks& masks) const;
  AttentionOptions op_options(Pass& pass, DType dtype) const;
};

}  // namespace tapehead
