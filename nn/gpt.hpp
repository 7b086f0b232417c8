#pragma once
#include "transformer.hpp"

namespace tapehead {

/// GPT-2 (Radford et al.): learned positions, pre-norm blocks, the head tied to the embedding,
/// unless the options say otherwise. Weights start normal, with a standard deviation of `init_std`,
/// and of init_std / sqrt(2 layers) for projections back into the residual stream; biases start at
/// 0. The constructor draws them, unless `drawn` is false.
struct GPT : Module {
  explicit GPT(const ModelOptions& options);  ///< throws ValueError that names the option
  /// ids, i32 (batch, time), time at most context -> logits (batch, time, vocabulary). With a cache
  /// in the pass, the ids continue it.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;
  /// Whether its attention supports a cache.
  bool caches() const { return options.attention.caches; }

  ModelOptions options;
  TokenEmbedding embedding;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  std::optional<Linear> head;
};

}  // namespace tapehead
