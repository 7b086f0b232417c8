#pragma once
#include <tapehead/nn/attention.hpp>

#include <functional>

namespace tapehead {

/// width -> hidden -> width with GELU (its tanh form) between.
struct MLP : Module {
  MLP(Index width, Index hidden, Init in_init = Init::normal(0.02),
      Init out_init = Init::normal(0.02));
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., width) -> same
  void visit(Visitor& v) override { v("in", in), v("out", out); }

  Linear in, out;
};

/// What a model is made of, as the command line names it.
struct GPTOptions {
  Index vocabulary = 0, context = 0;  ///< symbols, and the longest sequence
  Index layers = 2, heads = 4, width = 64;
  double dropout = 0;  ///< after the embedding, on the weights, and at the end of each branch
  Temperature temperature = Temperature::none;
  std::uint64_t seed = 0;  ///< of the first weights
  DType dtype = DType::f32;
  /// Makes each block's attention; none stands for MultiHeadAttention.
  std::function<std::unique_ptr<Module>(const GPTOptions&)> attention = {};
};

/// A pre-norm transformer block: x + attention(norm(x)), then x + mlp(norm(x)).
struct Block : Module {
  explicit Block(const GPTOptions& options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override;

  LayerNorm attention_norm;
  std::unique_ptr<Module> attention;
  LayerNorm mlp_norm;
  MLP mlp;
  Dropout dropout;
};

/// GPT-2 (Radford et al.): learned positions, pre-norm blocks, the head tied to the embedding.
/// Weights start normal with deviation 0.02, those back into the residual stream divided by
/// sqrt(2 layers), biases at 0. The constructor initialises them.
struct GPT : Module {
  explicit GPT(const GPTOptions& options);  ///< throws ValueError that names the option
  /// ids, i32 (batch, time), time at most context -> logits (batch, time, vocabulary)
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  GPTOptions options;
  Embedding tokens, positions;  // (vocabulary, width), (context, width)
  Dropout dropout;
  std::vector<Block> blocks;
  LayerNorm norm;
};

}  // namespace tapehead
