#include "model_options.hpp"

#include <cmath>
#include <limits>

namespace tapehead {

std::unique_ptr<Module> make_layer_norm(const ModelOptions& o) {
  return std::make_unique<LayerNorm>(o.width, o.epsilon);
}

std::unique_ptr<Module> make_rms_norm(const ModelOptions& o) {
  return std::make_unique<RMSNorm>(o.width, o.epsilon, false);
}

std::unique_ptr<Module> StandardMLP::operator()(const ModelOptions& o, const Init& in,
                                                const Init& out) const {
  return std::make_unique<MLP>(o.width, MLPOptions{o.mlp_width, activation, o.biases, in, out});
}

AttentionFactory standard_attention() {
  AttentionFactory attention = [](const AttentionLayerOptions& o) {
    return std::make_unique<MultiHeadAttention>(o);
  };
  attention.caches = attention.fits_decoder = true;
  return attention;
}

void ModelOptions::options(Fields& f) {
  f("layers", layers, 1, 1024, "number of transformer blocks");
  f("share-layers", share_layers, 0, std::numeric_limits<Index>::max(),
    "number of blocks with their own weights; the others repeat them in a cycle (0 = --layers)");
  f("width", width, 1, 1 << 16, "width of the residual stream");
  f("convolution", convolution, 0, 1024,
    "gpt: reach in tokens of a causal convolution before attention and MLP (0 = none)");
  f("biases", biases, "biases in the blocks' linear layers");
  f("tied-head", tied, "weight tying: the head shares the embedding's weights", "weight-tying");
  f("residual", residual, "residual connections (false = each branch replaces its input)");
  f("init-std", init_std, Range::positive(), "standard deviation of the initial weights");
  f("zero-out", zero_out, "initial weights of 0 for projections into the residual stream");
  f("dropout", dropout, Range::fraction(), "dropout rate");
}

const ModelOptions& checked_model(const char* model, const ModelOptions& options) {
  const std::pair<const char*, Index> sizes[] = {{"vocabulary", options.vocabulary},
                                                 {"context", options.context},
                                                 {"layers", options.layers},
                                                 {"heads", options.heads},
                                                 {"width", options.width}};
  for (const auto& [name, value] : sizes)
    if (value < 1) throw ValueError("{}: {} is {}, expected at least 1", model, name, value);
  if (options.share_layers < 0 || options.share_layers > options.layers)
    throw ValueError("{}: share_layers is {}, expected 0 to {}, the number of layers", model,
                     options.share_layers, options.layers);
  if (options.zero_out && !options.residual)
    throw ValueError("{}: zero_out needs residual connections, otherwise every block returns zeros",
                     model);
  return options;
}

Index distinct_blocks(const ModelOptions& options) {
  return options.share_layers > 0 ? options.share_layers : options.layers;
}

Index head_width_of(const ModelOptions& options) {
  return options.head_width > 0 ? options.head_width : options.width / options.heads;
}

AttentionLayerOptions self_attention_options(const ModelOptions& model, bool causal, bool cross,
                                             Index layer) {
  const double standard = 1 / std::sqrt(static_cast<double>(head_width_of(model)));
  AttentionLayerOptions o;
  static_cast<HeadOptions&>(o) = model;
  o.causal = causal;
  o.tokens = causal || model.source == 0 ? model.context : model.source;
  if (model.scale == ScoreScale::one) o.scale = 1;
  if (model.scale == ScoreScale::layer) o.scale = standard / static_cast<double>(layer + 1);
  if (model.position.has_attention_scheme()) o.position = model.position;
  o.in_bias = o.out_bias = model.biases;
  o.in_init = inner_init(model);
  o.out_init = residual_init(model, cross);
  return o;
}

AttentionLayerOptions cross_attention_options(const ModelOptions& model, Index layer) {
  AttentionLayerOptions o = self_attention_options(model, false, true, layer);
  o.position = {};
  o.fused = false;
  o.window = 0;
  if (o.temperature == Temperature::lsa) o.temperature = Temperature::none;
  return o;
}

Init inner_init(const ModelOptions& options) {
  return options.residual ? default_init(options) : Init::uniform(0);
}

Init residual_init(const ModelOptions& options, bool cross) {
  if (options.zero_out) return Init::constant(0);
  if (!options.residual) return inner_init(options);
  const Index branches = 1 + (cross ? 1 : 0) + (options.mlp ? 1 : 0);
  return Init::normal(options.init_std / std::sqrt(static_cast<double>(branches * options.layers)));
}

void finish_construction(Module& model, const ModelOptions& options) {
  if (options.drawn)
    initialise(model, options.seed, options.dtype);
  else
    declare_parameters(model, options.dtype);
}

}  // namespace tapehead
