#pragma once
// Tokens to vectors, blocks of attention and MLP, vectors to logits: what models are built from.
#include "model_options.hpp"

namespace tapehead {

/// Makes vectors of tokens: a learned one for each, plus one for its position if the model's
/// positions are added to its input; then dropout.
struct TokenEmbedding : Module {
  TokenEmbedding(const ModelOptions& options, Index context);
  /// ids, i32 (batch, time), time at most context -> (batch, time, width). With a cache in the pass
  /// the first token follows those that it holds.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("tokens", tokens);
    if (positions) positions->visit(v);
  }

  Index context;
  Embedding tokens;                           // (vocabulary, width)
  std::unique_ptr<PositionScheme> positions;  // null where they act in attention
  Dropout dropout;
};

/// A pre-norm transformer block: x + attention(norm(x)), then, if it has cross-attention, x +
/// cross(norm(x), source), then x + mlp(norm(x)). Options can leave parts of it out, or put a
/// convolution behind the norms of attention and MLP.
struct Block : Module {
  /// `layer` counts from 0, for a scale that depends on it.
  explicit Block(const ModelOptions& options, bool causal = true, bool cross = false,
                 Index layer = 0);
  /// (batch, time, width) -> same. Throws Error if the pass has padding that the attention doesn't
  /// hide.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// The same with cross-attention to a source (batch, n, width). source_mask, i32 (batch, n), is 1
  /// where the source has a token; no tensor: everywhere.
  Tensor operator()(const Tensor& x, const Tensor& source, const Tensor& source_mask,
                    Pass& pass) const;
  using Module::operator();
  void visit(Visitor& v) override;

  std::unique_ptr<Module> attention_norm, attention_convolution, attention;
  std::unique_ptr<Module> cross_norm;
  std::optional<MultiHeadAttention> cross;
  std::unique_ptr<Module> mlp_norm, mlp_convolution, mlp;
  bool residual;
  bool recomputed;  // in backward: of a pass on a tape only the input is kept
  Dropout dropout;

 private:
  Tensor run(const Tensor& x, const Tensor& source, const Tensor& source_mask, Pass& pass) const;
  Tensor compute(const Tensor& stream, const Tensor& source, const Tensor& source_mask,
                 Pass& pass) const;
};

std::vector<Block> make_blocks(const ModelOptions& options, bool causal, bool cross = false);

/// Null where the options have no norm.
std::unique_ptr<Module> make_norm(const ModelOptions& options);
/// What a layer makes of x, or x if there is none.
Tensor through(const std::unique_ptr<Module>& layer, const Tensor& x, Pass& pass);

/// width -> vocabulary; none if the head is tied to the embedding.
std::optional<Linear> make_head(const ModelOptions& options);
/// x (batch, time, width) -> logits (batch, time, vocabulary), by the head or by the embedding.
Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass);

}  // namespace tapehead
