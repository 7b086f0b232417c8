#pragma once
// The input and output of a model: tokens to vectors, and vectors to logits.
#include "model_options.hpp"

namespace tapehead {

/// A token embedding: a learned vector for each token, plus position vectors if the position scheme
/// acts on the input. Applies dropout to the sum.
struct TokenEmbedding : Module {
  TokenEmbedding(const ModelOptions& options, Index context);
  /// Maps ids, i32 (batch, time) with time at most context, to (batch, time, width). With a cache
  /// in the pass, the ids follow the cached tokens.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("tokens", tokens);
    if (positions) positions->visit(v);
  }

  Index context;
  Embedding tokens;                           // (vocabulary, width)
  std::unique_ptr<PositionScheme> positions;  // null if positions act in attention
  Dropout dropout;
};

/// Makes the output layer (head), width -> vocabulary, or none with weight tying.
std::optional<Linear> make_head(const ModelOptions& options);
/// Computes logits: x (batch, time, width) -> (batch, time, vocabulary). With weight tying it uses
/// the embedding's weights. If the pass has targets, at most half of the positions have one, and
/// the vocabulary is large, returns only the logits at targets, (targets, vocabulary): the other
/// ones would take most of a step's time and memory.
Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass);

}  // namespace tapehead
