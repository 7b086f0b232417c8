#pragma once
#include "encoder.hpp"

namespace tapehead {

/// The transformer of "Attention Is All You Need", with pre-norm blocks: an encoder reads a source,
/// and a decoder predicts the target, attending to its own past and to the source. Each has an
/// embedding of its own; the head is tied to the decoder's unless the options say otherwise.
struct EncoderDecoder : Module {
  /// Throws ValueError that names the option.
  explicit EncoderDecoder(const ModelOptions& options);
  /// ids, i32 (batch, source + time): the first `options.source` of a row are its source, -1 where
  /// it has ended, and the others the target so far, at most `options.context` -> logits
  /// (batch, time, vocabulary). With a cache that has been used, all ids continue it.
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
