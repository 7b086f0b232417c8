#pragma once
// What GPT, Encoder and EncoderDecoder are made of.
#include "attention/attention.hpp"
#include "mlp.hpp"
#include "parameters.hpp"

namespace tapehead {

// A kind of layer is a function that makes the layer, from options. A program's own kinds are set
// in the same way as these.

/// The norm before each branch of a block and before the head, (..., width) -> same.
using NormFactory = std::function<std::unique_ptr<Module>(const ModelOptions&)>;
std::unique_ptr<Module> make_layer_norm(const ModelOptions& options);
std::unique_ptr<Module> make_rms_norm(const ModelOptions& options);  ///< without parameters

/// A block's MLP, (..., width) -> same, whose layers start as `in` says, and the last as `out`.
using MLPFactory =
    std::function<std::unique_ptr<Module>(const ModelOptions&, const Init& in, const Init& out)>;
/// An MLP of a model's `mlp_width`, with `biases` as the model says.
struct StandardMLP {
  Activation activation;
  std::unique_ptr<Module> operator()(const ModelOptions& options, const Init& in,
                                     const Init& out) const;
};

/// A block's self-attention, (batch, time, width) -> same, and what it can do.
struct AttentionFactory {
  using Function = std::function<std::unique_ptr<Module>(const AttentionLayerOptions&)>;
  AttentionFactory() = default;
  template <class Make, class = std::enable_if_t<std::is_constructible_v<Function, Make>>>
  AttentionFactory(Make make_) : make(std::move(make_)) {}

  Function make;
  bool causal = true;         ///< it lets no position see a later one, if the options say so
  bool caches = false;        ///< it continues the cache of a pass, if there is one
  bool fits_decoder = false;  ///< it can be used next to cross-attention
};
/// MultiHeadAttention.
AttentionFactory standard_attention();

/// What attention's scores are multiplied by: 1 / sqrt(d), 1 (T5), or 1 / sqrt(d) divided by the
/// number of the layer, counted from 1 (Mistral's GPT-2).
enum class ScoreScale { standard, one, layer };
inline constexpr Choice<ScoreScale> scale_names[] = {
    {"standard", ScoreScale::standard}, {"one", ScoreScale::one}, {"layer", ScoreScale::layer}};

/// Where HeadOptions have a meaning beyond attention, they are the whole model's: `dropout` also
/// acts after the embedding and at the end of each branch, and `epsilon` is that of all norms.
struct ModelOptions : HeadOptions {
  /// Those that every transformer reads. Kinds of layers have options of their own.
  void options(Fields& f);

  Index vocabulary = 0, context = 0;  ///< number of tokens; the longest sequence
  Index layers = 2;
  AttentionFactory attention = standard_attention();
  Positions position = LearnedPositions{};
  NormFactory norm = make_layer_norm;              ///< null: no norms
  MLPFactory mlp = StandardMLP{Activation::gelu};  ///< null: blocks of attention alone
  Index mlp_width = 0;     ///< between the layers of an MLP; 0: as MLP::default_hidden says
  bool biases = true;      ///< of the linear layers of the blocks
  bool tied = true;        ///< the head of a GPT or a decoder shares the embedding's weights
  double init_std = 0.02;  ///< of initial weights; smaller for projections back into the residual
  std::uint64_t seed = 0;  ///< of the initial weights
  DType dtype = DType::f32;

  // Rarely changed.
  ScoreScale scale = ScoreScale::standard;
  Index convolution = 0;   ///< reach of a CausalConvolution after the norm of each branch; 0: none
  bool residual = true;    ///< false: a branch's output replaces its input
  bool zero_out = false;   ///< projections back into the residual stream start at 0
  bool recompute = false;  ///< keep each block's input alone, and recompute the rest in backward
  bool drawn = true;    ///< false: parameters have shapes, and no values until they are given some
  Index source = 0;     ///< EncoderDecoder: the longest source; its context is the longest target's
  Index classes = 0;    ///< Encoder: number of classes to predict; 0: the vocabulary
  bool pooled = false;  ///< Encoder: one prediction for the sequence, not one for each position
};

/// The options again. Throws ValueError that names the model and the option that is impossible.
const ModelOptions& checked_model(const char* model, const ModelOptions& options);
Index head_width_of(const ModelOptions& options);
/// The options of the self-attention in block number `layer`, counted from 0, with or without a
/// cross-attention next to it.
AttentionLayerOptions self_attention_options(const ModelOptions& options, bool causal = true,
                                             bool cross = false, Index layer = 0);
/// Those of the cross-attention. Between two sequences there is no distance, and no position of a
/// query's own to hide.
AttentionLayerOptions cross_attention_options(const ModelOptions& options, Index layer);

inline Init default_init(const ModelOptions& options) { return Init::normal(options.init_std); }
/// Of layers inside a branch of a block. Without a residual path everything that a block passes on
/// goes through them, so they keep its variance: they start by Linear's own rule.
Init inner_init(const ModelOptions& options);
/// Each block, with or without cross-attention, adds to the residual stream two or three times.
/// Projections into it start smaller, so that its variance doesn't grow with the depth, or at zero
/// where the options ask for it.
Init residual_init(const ModelOptions& options, bool cross = false);
/// The end of a model's constructor: draws its initial weights, or only outlines it.
void finish_construction(Module& model, const ModelOptions& options);

}  // namespace tapehead
