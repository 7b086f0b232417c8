#pragma once
// The options of GPT, Encoder and EncoderDecoder.
#include "attention/attention.hpp"
#include "mlp.hpp"
#include "parameters.hpp"

namespace tapehead {

// Each layer type is set by a factory, a function that makes the layer from options. Set custom
// layers in the same way.

/// A factory for norms, (..., width) -> same: before each branch of a block, and before the head.
using NormFactory = std::function<std::unique_ptr<Module>(const ModelOptions&)>;
std::unique_ptr<Module> make_layer_norm(const ModelOptions& options);
std::unique_ptr<Module> make_rms_norm(const ModelOptions& options);  ///< a norm without gain

/// A factory for the MLP of a block, (..., width) -> same. `out` initializes its last layer, and
/// `in` its other layers.
using MLPFactory =
    std::function<std::unique_ptr<Module>(const ModelOptions&, const Init& in, const Init& out)>;
/// The factory for MLPs with the `mlp_width` and `biases` of the model.
struct StandardMLP {
  Activation activation;
  std::unique_ptr<Module> operator()(const ModelOptions& options, const Init& in,
                                     const Init& out) const;
};

/// A factory for the self-attention of a block, (batch, time, width) -> same, and the features that
/// the made layer has.
struct AttentionFactory {
  using Function = std::function<std::unique_ptr<Module>(const AttentionLayerOptions&)>;
  AttentionFactory() = default;
  template <class Make, class = std::enable_if_t<std::is_constructible_v<Function, Make>>>
  AttentionFactory(Make make_) : make(std::move(make_)) {}

  Function make;
  bool causal = true;         ///< supports causal attention
  bool caches = false;        ///< supports the cache of a pass
  bool fits_decoder = false;  ///< can be combined with cross-attention
};
/// Returns the factory for MultiHeadAttention.
AttentionFactory standard_attention();

/// The factor of the attention scores: 1 / sqrt(d), 1 (T5), or 1 / sqrt(d) divided by the layer
/// number, counted from 1 (Stanford CRFM's Mistral).
enum class ScoreScale { standard, one, layer };
inline constexpr Choice<ScoreScale> scale_names[] = {
    {"standard", ScoreScale::standard}, {"one", ScoreScale::one}, {"layer", ScoreScale::layer}};

/// The options of a model. Some HeadOptions apply to the whole model: `dropout` also acts after the
/// embedding and at the end of each branch, and `epsilon` is used in all norms.
struct ModelOptions : HeadOptions {
  /// Declares the options of every transformer. Layer types declare their own options.
  void options(Fields& f);

  Index vocabulary = 0, context = 0;  ///< number of token ids; longest sequence in tokens
  Index layers = 2;
  Index share_layers = 0;  ///< number of distinct blocks, see distinct_blocks (0: layers)
  AttentionFactory attention = standard_attention();
  Positions position = LearnedPositions{};
  NormFactory norm = make_layer_norm;              ///< null: no norms
  MLPFactory mlp = StandardMLP{Activation::gelu};  ///< null: blocks without an MLP
  Index mlp_width = 0;     ///< hidden width of an MLP (0: MLP::default_hidden)
  bool biases = true;      ///< biases in the linear layers of the blocks
  bool tied = true;        ///< weight tying: the head of a GPT or decoder shares the embedding
  double init_std = 0.02;  ///< standard deviation of initial weights, see residual_init
  std::uint64_t seed = 0;  ///< seed of the initial weights
  DType dtype = DType::f32;

  // Advanced options.
  ScoreScale scale = ScoreScale::standard;
  Index convolution = 0;   ///< reach of a CausalConvolution after the norm of each branch (0: none)
  bool residual = true;    ///< false: the output of a branch replaces its input
  bool zero_out = false;   ///< projections into the residual stream start at 0
  bool recompute = false;  ///< activation checkpointing of each block
  bool drawn = true;       ///< false: parameters have shapes, but no values yet
  Index source = 0;        ///< EncoderDecoder: longest source; `context` is the longest target
  Index classes = 0;       ///< Encoder: number of classes to predict (0: vocabulary)
  bool pooled = false;     ///< Encoder: one prediction for the sequence, not for each position
};

/// Checks and returns `options`. Throws a ValueError that names the model and the invalid option.
const ModelOptions& checked_model(const char* model, const ModelOptions& options);
/// Returns the number of blocks with their own weights. The other blocks repeat these in a cycle:
/// block i has the weights of block i modulo this number (CYCLE in Takase and Kiyono, "Lessons on
/// Parameter Sharing across Layers in Transformers"). With 1, all blocks are equal, as in ALBERT.
Index distinct_blocks(const ModelOptions& options);
/// Returns the width of a head: `head_width`, or by default width / heads.
Index head_width_of(const ModelOptions& options);
/// Returns the options of the self-attention in block `layer`, counted from 0, with or without
/// cross-attention in the block.
AttentionLayerOptions self_attention_options(const ModelOptions& options, bool causal = true,
                                             bool cross = false, Index layer = 0);
/// Returns the options of the cross-attention in block `layer`. It has no positions and no
/// hide_self, because queries and keys come from different sequences.
AttentionLayerOptions cross_attention_options(const ModelOptions& options, Index layer);

inline Init default_init(const ModelOptions& options) { return Init::normal(options.init_std); }
/// Returns the Init of layers inside a branch. Without residual connections, it is the default Init
/// of Linear, which keeps the variance constant from block to block.
Init inner_init(const ModelOptions& options);
/// Returns the Init of projections into the residual stream. They are scaled down so that the
/// variance of the stream doesn't grow with the depth, because each block adds two or three
/// branches to the stream. With `zero_out` they are 0.
Init residual_init(const ModelOptions& options, bool cross = false);
/// Draws the initial weights of a model. If `drawn` is false, sets only their shapes. Call it at
/// the end of the model's constructor.
void finish_construction(Module& model, const ModelOptions& options);

}  // namespace tapehead
