#pragma once
// The two ends of a model: tokens to vectors, and vectors to logits.
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

/// width -> vocabulary; none if the head is tied to the embedding.
std::optional<Linear> make_head(const ModelOptions& options);
/// x (batch, time, width) -> logits (batch, time, vocabulary), by the head or by the embedding.
Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass);

}  // namespace tapehead
