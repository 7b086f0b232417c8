#pragma once
#include "transformer.hpp"

namespace tapehead {

/// A bidirectional transformer that predicts a class for each position, or one class for the
/// sequence (Devlin et al., "BERT", with pre-norm blocks).
struct Encoder : Module {
  explicit Encoder(const ModelOptions& options);  ///< throws a ValueError that names the option
  /// Maps ids, i32 (batch, time) with -1 for padding, to logits (batch, time, classes). If `pooled`
  /// is set, returns logits (batch, classes), computed from the mean over the tokens.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  TokenEmbedding embedding;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  Linear head;  // width -> classes
};

/// Padded ids, as ids with token 0 for padding instead of -1, and an i32 mask with 1 for tokens and
/// 0 for padding. The mask is null if there is no padding.
struct PaddedIds {
  explicit PaddedIds(const Tensor& ids);
  Tensor ids, mask;
};

}  // namespace tapehead
