#pragma once
// What GPT, Encoder and EncoderDecoder are made of.
#include <tapehead/nn/attention.hpp>

#include <functional>

namespace tapehead {

/// What a model is made of, as the command line names it.
struct ModelOptions {
  Index vocabulary = 0, context = 0;  ///< symbols, and the longest sequence
  Index layers = 2, heads = 4, width = 64;
  Index kv_heads = 0;  ///< heads of keys and values, dividing heads; 0: as many
  double dropout = 0;  ///< after the embedding, on the weights, and at the end of each branch
  Temperature temperature = Temperature::none;
  Position position = Position::learned;
  PositionOptions positions = {};
  bool qk_norm = false;
  bool recompute =
      false;  ///< keep each block's input alone, and compute the block again in backward
  std::uint64_t seed = 0;  ///< of the first weights
  DType dtype = DType::f32;
  /// Makes each block's self-attention; none stands for MultiHeadAttention.
  std::function<std::unique_ptr<Module>(const ModelOptions&)> attention = {};

  Index source = 0;     ///< EncoderDecoder: the longest source; its context is the longest target's
  Index classes = 0;    ///< Encoder: of the answer; 0: the vocabulary
  bool pooled = false;  ///< Encoder: one answer for the sequence, not one for each place
};
/// Throws ValueError that names the option that can't be; `model` is named.
void check_model(const char* model, const ModelOptions& options);

/// Each block adds to the residual stream `branches` times: projections into it start smaller, so
/// that its variance doesn't grow with the depth.
Init residual_init(const ModelOptions& options, Index branches = 2);

/// width -> hidden -> width with GELU (its tanh form) between.
struct MLP : Module {
  MLP(Index width, Index hidden, Init in_init = Init::normal(0.02),
      Init out_init = Init::normal(0.02));
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., width) -> same
  void visit(Visitor& v) override { v("in", in), v("out", out); }

  Linear in, out;
};

/// Symbols as vectors: a learned one for each, plus that of its place where the model's positions
/// are learned or sinusoidal, the symbol's then times sqrt(width); then dropout.
struct SymbolEmbedding : Module {
  SymbolEmbedding(const ModelOptions& options, Index context);
  /// ids, i32 (batch, time), time at most context -> (batch, time, width). With a cache in the pass
  /// the first symbol stands behind those that it holds.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override { v("tokens", tokens), v("positions", positions); }

  Index context;
  Embedding tokens;                    // (vocabulary, width)
  std::optional<Embedding> positions;  // learned: (context, width)
  bool sinusoidal;
  Dropout dropout;
};

/// A pre-norm transformer block: x + attention(norm(x)), then, where there is a source to attend
/// to, x + cross(norm(x), source), then x + mlp(norm(x)).
struct Block : Module {
  explicit Block(const ModelOptions& options, bool causal = true, bool cross = false);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  /// key_mask, i32 (batch, time): 1 where a symbol may be seen, of x in a block without cross
  /// attention, of the source, (batch, n, width), in one with it.
  Tensor operator()(const Tensor& x, const Tensor& source, const Tensor& key_mask,
                    Pass& pass) const;
  using Module::operator();
  void visit(Visitor& v) override;
  /// From here on backward computes the block again. Call it once the block has its place: it keeps
  /// pointers to its parameters.
  void keep_little() { recomputed_ = parameters(*this); }

  LayerNorm attention_norm;
  std::unique_ptr<Module> attention;
  std::optional<LayerNorm> cross_norm;
  std::optional<MultiHeadAttention> cross;
  LayerNorm mlp_norm;
  MLP mlp;
  Dropout dropout;

 private:
  Tensor run(const Tensor& x, const Tensor& source, const Tensor& key_mask, Pass& pass) const;
  Tensor compute(const Tensor& x, const Tensor& source, const Tensor& key_mask, Pass& pass) const;

  std::vector<Parameter*> recomputed_;  // all, where the block is to be computed again
};

}  // namespace tapehead
