#pragma once
#include "transformer.hpp"

namespace tapehead {

/// A transformer that sees its whole input at once, and says something of each place, or of the
/// sequence (Devlin et al., "BERT", with pre-norm blocks).
struct Encoder : Module {
  explicit Encoder(const ModelOptions& options);  ///< throws ValueError that names the option
  /// ids, i32 (batch, time), -1 where a shorter sequence has ended -> logits (batch, time,
  /// classes); pooled: (batch, classes), of the mean over the symbols.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  SymbolEmbedding embedding;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  Linear head;  // width -> classes
};

/// Ids of which some may be -1, padding: with symbol 0 in its place, and an i32 mask that is 1
/// where there is a symbol; no mask where there is no padding.
struct PaddedIds {
  explicit PaddedIds(const Tensor& ids);
  Tensor ids, symbols;
};

}  // namespace tapehead
