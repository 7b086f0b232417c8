#pragma once
#include "transformer.hpp"

namespace tapehead {

/// GPT-2 (Radford et al.). The defaults are learned positions, pre-norm blocks and weight tying.
/// The constructor draws the initial weights, unless options.drawn is false: normal with standard
/// deviation `init_std`, or init_std / sqrt(2 layers) into the residual stream; biases are 0.
struct GPT : Module {
  explicit GPT(const ModelOptions& options);  ///< throws a ValueError that names the option
  /// Maps ids, i32 (batch, time) with time at most context, to logits (batch, time, vocabulary).
  /// With a cache in the pass, the ids continue the cached tokens.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;
  /// Returns whether the attention supports a cache.
  bool caches() const { return options.attention.caches; }

  ModelOptions options;
  TokenEmbedding embedding;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  std::optional<Linear> head;  // none with weight tying: logits use the embedding
};

}  // namespace tapehead
