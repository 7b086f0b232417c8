#pragma once
#include "encoder.hpp"

namespace tapehead {

/// The transformer of "Attention Is All You Need", with pre-norm blocks. An encoder reads the
/// source. A decoder predicts the target and attends to earlier target tokens and to the source.
/// Encoder and decoder have separate embeddings. By default the head shares the decoder's embedding
/// (weight tying).
struct EncoderDecoder : Module {
  /// Throws a ValueError that names the invalid option.
  explicit EncoderDecoder(const ModelOptions& options);
  /// Maps ids, i32 (batch, source + time), to logits (batch, time, vocabulary). The first
  /// `options.source` ids of a row are its source, padded with -1. The others are the target so
  /// far, at most `options.context`. If the pass has a cache with tokens, all ids continue the
  /// target.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  TokenEmbedding source_embedding;
  std::vector<Block> encoder;
  std::unique_ptr<Module> source_norm;
  TokenEmbedding embedding;
  std::vector<Block> decoder;
  std::unique_ptr<Module> norm;
  std::optional<Linear> head;

 private:
  Tensor read(const PaddedIds& source, Pass& pass) const;
};

}  // namespace tapehead
