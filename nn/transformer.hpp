#pragma once
#include "embedding.hpp"

namespace tapehead {

/// A pre-norm transformer block: x + attention(norm(x)), then x + mlp(norm(x)). A decoder block has
/// cross-attention in between: x + cross(norm(x), source). Options can omit each of these, or add a
/// convolution after the norms of attention and MLP.
struct Block : Module {
  /// `layer` is the number of the block, counted from 0; the attention scale may depend on it.
  explicit Block(const ModelOptions& options, bool causal = true, bool cross = false,
                 Index layer = 0);
  /// (batch, time, width) -> same. Throws Error if the attention can't hide the pass's padding.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// Computes the block with cross-attention to a source (batch, n, width). source_mask, i32
  /// (batch, n), is 1 for source tokens; null means no padding.
  Tensor operator()(const Tensor& x, const Tensor& source, const Tensor& source_mask,
                    Pass& pass) const;
  using Module::operator();
  void visit(Visitor& v) override;

  std::unique_ptr<Module> attention_norm, attention_convolution, attention, cross_norm;
  std::optional<MultiHeadAttention> cross;
  std::unique_ptr<Module> mlp_norm, mlp_convolution, mlp;
  bool residual;
  bool recomputed;  // activation checkpointing: a tape keeps only the block's input
  Dropout dropout;

 private:
  Tensor run(const Tensor& x, const Tensor& source, const Tensor& source_mask, Pass& pass) const;
  Tensor compute(const Tensor& stream, const Tensor& source, const Tensor& source_mask,
                 Pass& pass) const;
};

std::vector<Block> make_blocks(const ModelOptions& options, bool causal, bool cross = false);

/// Makes the norm before the head, or null if the options have no norm.
std::unique_ptr<Module> make_norm(const ModelOptions& options);
/// Returns layer(x), or x if the layer is null.
Tensor apply_optional(const std::unique_ptr<Module>& layer, const Tensor& x, Pass& pass);

}  // namespace tapehead
