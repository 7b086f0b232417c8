#pragma once
// What GPT, Encoder and EncoderDecoder are made of.
#include "attention/attention.hpp"
#include "mlp.hpp"

#include <functional>

namespace tapehead {

/// What stands before each branch of a block and before the head: a layer norm, an RMS norm without
/// parameters, or nothing.
enum class Norm { layer, rms, none };

/// What attention's scores are multiplied by: 1 / sqrt(d), 1 (T5), or 1 / sqrt(d) divided by the
/// number of the layer, counted from 1 (Mistral's GPT-2).
enum class ScoreScale { standard, one, layer };
inline constexpr Choice<ScoreScale> scale_names[] = {
    {"standard", ScoreScale::standard}, {"one", ScoreScale::one}, {"layer", ScoreScale::layer}};

/// What a model is made of.
struct ModelOptions {
  /// Those that a command line can set. Its kinds of layers, of positions and of norms are named by
  /// other options.
  void options(Fields& f);

  Index vocabulary = 0, context = 0;  ///< number of tokens; the longest sequence
  Index layers = 2, heads = 4, width = 64;
  Index kv_heads = 0;    ///< heads of keys and values, dividing heads; 0: as many
  Index head_width = 0;  ///< of queries, keys and values; 0: width / heads
  double dropout = 0;    ///< after the embedding, on the weights, and at the end of each branch
  Temperature temperature = Temperature::none;
  Position position = Position::learned;
  PositionOptions positions = {};
  ScoreScale scale = ScoreScale::standard;
  Index window = 0;  ///< of self-attention: keys at this distance or farther are hidden; 0: none is
  bool hide_self = false;  ///< no query of self-attention sees its own position
  bool qk_norm = false;
  Index convolution = 0;  ///< reach of a CausalConvolution after the norm of each branch; 0: none
  Norm norm = Norm::layer;
  double epsilon = 1e-5;                             ///< of all norms
  std::optional<Activation> mlp = Activation::gelu;  ///< none: blocks of attention alone
  Index mlp_width = 0;     ///< between the layers of an MLP; 0: as MLP::usual_hidden says
  bool biases = true;      ///< of the linear layers of the blocks
  bool residual = true;    ///< false: a branch's output takes the place of its input
  bool tied = true;        ///< the head of a GPT or a decoder shares the embedding's weights
  double init_std = 0.02;  ///< of first weights; smaller for projections back into the residual
  bool zero_out = false;   ///< projections back into the residual stream start at 0
  bool recompute = false;  ///< keep each block's input alone, and recompute the rest in backward
  std::uint64_t seed = 0;  ///< of the first weights
  DType dtype = DType::f32;
  bool drawn = true;  ///< false: parameters have shapes, and no values until they are given some
  // A program's own parts, in place of those that the options above name.
  using MakeLayer = std::function<std::unique_ptr<Module>(const ModelOptions&)>;
  MakeLayer attention = {};       ///< each block's self-attention, (batch, time, width) -> same
  bool attention_causal = true;   ///< it lets no position see a later one
  bool attention_caches = false;  ///< it continues the cache of a pass, if there is one
  MakeLayer norm_layer = {};      ///< before each branch and the head, (..., width) -> same
  /// A block's MLP, (..., width) -> same, whose layers start as `in` says, and the last as `out`.
  std::function<std::unique_ptr<Module>(const ModelOptions&, const Init& in, const Init& out)>
      mlp_layer = {};
  /// Positions that are added to the input of at most `context` tokens, or that act in each
  /// self-attention.
  std::function<std::unique_ptr<PositionScheme>(const ModelOptions&, Index context)>
      input_positions = {};
  std::function<std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)> attention_positions =
      {};

  Index source = 0;     ///< EncoderDecoder: the longest source; its context is the longest target's
  Index classes = 0;    ///< Encoder: number of classes to predict; 0: the vocabulary
  bool pooled = false;  ///< Encoder: one prediction for the sequence, not one for each position
};
Index head_width_of(const ModelOptions& options);
/// Whether positions act in each self-attention, and not on the model's input.
bool acts_in_attention(const ModelOptions& options);
/// The options of the self-attention in block number `layer`, counted from 0, with or without a
/// cross-attention beside it. With the defaults, a program's own `attention` can start from them.
AttentionLayerOptions self_attention_options(const ModelOptions& options, bool causal = true,
                                             bool cross = false, Index layer = 0);
/// The options again. Throws ValueError that names the model and the option that is impossible.
const ModelOptions& checked_model(const char* model, const ModelOptions& options);
/// What is added to a model's input of at most `tokens` tokens; null where positions act elsewhere.
std::unique_ptr<PositionScheme> make_input_positions(const ModelOptions& options, Index tokens);
/// The end of a model's constructor: draws its first weights, or only outlines it.
void begin(Module& model, const ModelOptions& options);

inline Init first_init(const ModelOptions& options) { return Init::normal(options.init_std); }
/// Each block adds to the residual stream `branches` times. Projections into it start smaller, so
/// that its variance doesn't grow with the depth, or at zero where the options ask for it.
Init residual_init(const ModelOptions& options, Index branches = 2);

/// width -> vocabulary; none if the head is tied to the embedding.
std::optional<Linear> make_head(const ModelOptions& options);
/// x (batch, time, width) -> logits (batch, time, vocabulary), by the head or by the embedding.
Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass);

/// No module for Norm::none.
std::unique_ptr<Module> make_norm(const ModelOptions& options);
/// What a layer makes of x, or x if there is none.
Tensor through(const std::unique_ptr<Module>& layer, const Tensor& x, Pass& pass);

/// Makes vectors of tokens: a learned one for each, plus one for its position if the model's
/// positions are learned or sinusoidal; then dropout.
struct TokenEmbedding : Module {
  TokenEmbedding(const ModelOptions& options, Index context);
  /// ids, i32 (batch, time), time at most context -> (batch, time, width). With a cache in the pass
  /// the first token follows those that it holds.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("tokens", tokens);
    if (positions) positions->visit(v);
  }

  Index context;
  Embedding tokens;                           // (vocabulary, width)
  std::unique_ptr<PositionScheme> positions;  // null where they act elsewhere
  Dropout dropout;
};

/// A pre-norm transformer block: x + attention(norm(x)), then, if it has cross-attention, x +
/// cross(norm(x), source), then x + mlp(norm(x)). Options can leave parts of it out, or put a
/// convolution behind the norms of attention and MLP.
struct Block : Module {
  /// `layer` counts from 0, for a scale that depends on it.
  explicit Block(const ModelOptions& options, bool causal = true, bool cross = false,
                 Index layer = 0);
  /// (batch, time, width) -> same. Throws Error if the pass has padding that the attention doesn't
  /// hide.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// The same with cross-attention to a source (batch, n, width). source_mask, i32 (batch, n), is 1
  /// where the source has a token; no tensor: everywhere.
  Tensor operator()(const Tensor& x, const Tensor& source, const Tensor& source_mask,
                    Pass& pass) const;
  using Module::operator();
  void visit(Visitor& v) override;

  std::unique_ptr<Module> attention_norm, attention_convolution, attention;
  std::unique_ptr<Module> cross_norm;
  std::optional<MultiHeadAttention> cross;
  std::unique_ptr<Module> mlp_norm, mlp_convolution, mlp;
  bool residual;
  bool recomputed;  // in backward: of a pass on a tape only the input is kept
  Dropout dropout;

 private:
  Tensor run(const Tensor& x, const Tensor& source, const Tensor& source_mask, Pass& pass) const;
  Tensor compute(const Tensor& stream, const Tensor& source, const Tensor& source_mask,
                 Pass& pass) const;
};

std::vector<Block> make_blocks(const ModelOptions& options, bool causal, bool cross = false);

}  // namespace tapehead
