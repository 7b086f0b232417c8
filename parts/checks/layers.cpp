#include "layers.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../nn/convolution.hpp"
#include "../../nn/encoder_decoder.hpp"

namespace tapehead {
namespace {

constexpr Index batch = 2, context = 5, width = 8, vocabulary = 7;

const Tensor& numbers() {
  static const Tensor drawn = normal_sample({batch, context, width}, 1);
  return drawn;
}
Tensor ids() { return tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {batch, context}, DType::i32); }

template <class Layer, class... Args>
LayerEntry entry(const char* name, const char* summary, Tensor input, Args... args) {
  return {name, summary, [=] { return std::make_unique<Layer>(args...); }, std::move(input)};
}

AttentionLayerOptions two_heads() {
  AttentionLayerOptions options;
  options.width = width;
  options.heads = 2;
  options.causal = true;
  return options;
}
/// Returns an attention layer with two causal heads and the further options that `change` sets.
template <class Change>
LayerEntry attention(const char* name, const char* summary, Change change) {
  AttentionLayerOptions options = two_heads();
  change(options);
  return entry<MultiHeadAttention>(name, summary, numbers(), options);
}

ModelOptions small_model() {
  ModelOptions options;
  options.vocabulary = vocabulary;
  options.context = context;
  options.heads = 2;
  options.width = width;
  options.dropout = 0.1;
  options.temperature = Temperature::head;
  return options;
}
/// Returns a small block, after `change` sets more options.
template <class Change>
LayerEntry block(const char* name, const char* summary, Change change) {
  ModelOptions options = small_model();
  change(options);
  return entry<Block>(name, summary, numbers(), options);
}
LayerEntry mlp(const char* name, const char* summary, Activation activation) {
  MLPOptions options;
  options.activation = activation;
  return entry<MLP>(name, summary, numbers(), width, options);
}
ModelOptions translator() {
  ModelOptions options = small_model();
  options.layers = 1;
  options.source = 3;
  options.context = context - options.source;
  return options;
}

}  // namespace

std::vector<LayerEntry> layer_catalog() {
  std::vector<LayerEntry> entries = {
      entry<Linear>("Linear", "y = x W^T + b", numbers(), width, Index{3}),
      entry<Embedding>("Embedding", "a learned vector for each token", ids(), vocabulary, width),
      entry<LayerNorm>("LayerNorm", "mean 0, variance 1, then gain and bias", numbers(), width),
      entry<RMSNorm>("RMSNorm", "mean square 1, then gain", numbers(), width),
      entry<Dropout>("Dropout", "zeroes random elements in training", numbers(), 0.3),
      mlp("MLP", "two linear layers, GELU between", Activation::gelu),
      mlp("MLP-relu", "ReLU between", Activation::relu),
      mlp("MLP-relu2", "the square of ReLU between", Activation::relu2),
      mlp("MLP-swiglu", "SiLU of one layer times another", Activation::swiglu),
      attention("MultiHeadAttention", "causal self-attention", [](auto&) {}),
      attention("MultiHeadAttention-layer", "one learned temperature",
                [](auto& o) { o.temperature = Temperature::layer; }),
      attention("MultiHeadAttention-head", "a learned temperature for each head",
                [](auto& o) { o.temperature = Temperature::head; }),
      attention("MultiHeadAttention-qkv", "queries, keys and values scaled by a number per head",
                [](auto& o) {
                  o.temperature = Temperature::qkv;
                  o.kv_heads = 1;
                }),
      attention("MultiHeadAttention-lsa", "a learned scale, and no attention to the own position",
                [](auto& o) { o.temperature = Temperature::lsa; }),
      attention("MultiHeadAttention-dropout", "dropout on the weights and the output",
                [](auto& o) {
                  o.dropout = 0.3;
                  o.out_dropout = 0.2;
                }),
      attention("MultiHeadAttention-rotary", "positions rotate queries and keys",
                [](auto& o) {
                  o.position = RotaryPositions{};
                  o.kv_heads = 1;
                }),
      attention("MultiHeadAttention-alibi", "scores fall with distance",
                [](auto& o) { o.position = AlibiPositions{}; }),
      attention("MultiHeadAttention-relative", "an embedding for each distance",
                [](auto& o) { o.position = RelativePositions{2}; }),
      attention("MultiHeadAttention-t5", "a bias for each bucket of distances",
                [](auto& o) { o.position = T5Positions{4}; }),
      attention("MultiHeadAttention-norms", "norms before it and of queries and keys",
                [](auto& o) {
                  o.pre_norm = true;
                  o.qk_norm = true;
                  o.in_bias = false;
                }),
      attention("MultiHeadAttention-extra", "a learned key and value, and a zero key and value",
                [](auto& o) {
                  o.bias_kv = true;
                  o.zero_kv = true;
                  o.value_width = 3;
                }),
      attention("MultiHeadAttention-separate", "three projections, narrow keys and values",
                [](auto& o) {
                  o.fused = false;
                  o.head_width = 3;
                  o.out_width = 5;
                }),
      entry<CausalConvolution>("CausalConvolution", "adds a weighted sum of earlier positions",
                               numbers(), width, Index{2}),
      block("Block", "attention and MLP with residual connections", [](auto&) {}),
      block("Block-rms", "RMS norms without parameters, and a gated MLP",
            [](auto& o) {
              o.norm = make_rms_norm;
              o.mlp = StandardMLP{Activation::swiglu};
            }),
      block("Block-bare", "only attention: no norm, no residual connection, no MLP",
            [](auto& o) {
              o.norm = nullptr;
              o.residual = false;
              o.mlp = nullptr;
            }),
      entry<TokenEmbedding>("TokenEmbedding", "embeddings of tokens and positions", ids(),
                            small_model(), context),
      entry<GPT>("GPT", "embeddings, blocks, a norm and a head with weight tying", ids(),
                 small_model()),
      entry<Encoder>("Encoder", "sees the whole input, and predicts at each position", ids(),
                     small_model()),
      entry<EncoderDecoder>("EncoderDecoder", "reads a source, and generates with attention to it",
                            ids(), translator()),
  };
  for (std::size_t model = entries.size() - 3; model < entries.size(); ++model)
    entries[model].tolerance = 1e-5;
  for (LayerEntry& entry : entries) {
    entry.causal = entry.caches = entry.name != "Encoder";
    entry.keeps_shape = entry.input.is_float() && entry.name != "Linear" &&
                        entry.name != "MultiHeadAttention-separate";
  }
  return entries;
}

}  // namespace tapehead
