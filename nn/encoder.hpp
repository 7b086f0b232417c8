#pragma once
#include "transformer.hpp"

namespace tapehead {

/// A transformer that sees its whole input at once and predicts a class for each position, or one
/// for the sequence (Devlin et al., "BERT", with pre-norm blocks).
struct Encoder : Module {
  explicit Encoder(const ModelOptions& options);  ///< throws ValueError that names the option
  /// ids, i32 (batch, time), -1 where a shorter sequence has ended -> logits (batch, time,
  /// classes); pooled: (batch, classes), from the mean over the tokens.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  TokenEmbedding embedding;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  Linear head;  // width -> classes
};

/// Takes apart ids of which some may be -1, for padding: into ids with token 0 there instead, and
/// an i32 mask that is 1 where there is a token, or null if there is no padding.
struct PaddedIds {
  explicit PaddedIds(const Tensor& ids);
  Tensor ids, mask;
};

}  // namespace tapehead
