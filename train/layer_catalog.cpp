#include <tapehead/train/registry.hpp>

namespace tapehead {
namespace {

constexpr Index batch = 2, context = 5, width = 8, vocabulary = 7;

Tensor numbers() { return normal_sample({batch, context, width}, 1); }
Tensor ids() { return tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {batch, context}, DType::i32); }

template <class Layer, class... Args>
LayerEntry entry(const char* name, const char* summary, Tensor input, Args... args) {
  return {name, summary, [=] { return std::make_unique<Layer>(args...); }, std::move(input)};
}

LayerEntry attention(const char* name, const char* summary, Temperature temperature,
                     double dropout) {
  AttentionLayerOptions options;
  options.temperature = temperature;
  options.dropout = dropout;
  return entry<MultiHeadAttention>(name, summary, numbers(), width, Index{2}, options);
}

GPTOptions small_model() {
  GPTOptions options;
  options.vocabulary = vocabulary;
  options.context = context;
  options.heads = 2;
  options.width = width;
  options.dropout = 0.1;
  options.temperature = Temperature::head;
  return options;
}

}  // namespace

std::vector<LayerEntry> layer_catalog() {
  std::vector<LayerEntry> entries = {
      entry<Linear>("Linear", "y = x W^T + b", numbers(), width, Index{3}),
      entry<Embedding>("Embedding", "a learned vector for each symbol", ids(), vocabulary, width),
      entry<LayerNorm>("LayerNorm", "mean 0, variance 1, then gain and bias", numbers(), width),
      entry<RMSNorm>("RMSNorm", "mean square 1, then gain", numbers(), width),
      entry<Dropout>("Dropout", "zeroes elements at random, in training", numbers(), 0.3),
      entry<MLP>("MLP", "two linear layers, GELU between", numbers(), width, 4 * width),
      attention("MultiHeadAttention", "causal self-attention", Temperature::none, 0),
      attention("MultiHeadAttention-layer", "one learned temperature", Temperature::layer, 0),
      attention("MultiHeadAttention-head", "a learned temperature for each head", Temperature::head,
                0),
      attention("MultiHeadAttention-dropout", "dropout on the weights", Temperature::none, 0.3),
      entry<Block>("Block", "attention and MLP, each beside a residual path", numbers(),
                   small_model()),
      entry<GPT>("GPT", "embeddings, blocks, a norm and the tied head", ids(), small_model()),
  };
  entries.back().tolerance = 1e-5;
  return entries;
}

GradcheckResult check_layer(const LayerEntry& entry) {
  const std::unique_ptr<Module> layer = entry.make();
  initialise(*layer, 1, DType::f64);
  const std::vector<Parameter*> all = parameters(*layer);

  // Values as training leaves them: at the first ones, of biases 0 and gains 1, mistakes can hide.
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < all.size(); ++i)
    inputs.push_back(all[i]->value() + 0.3 * normal_sample(all[i]->shape, 2 + i));
  if (entry.input.is_float()) inputs.push_back(entry.input);

  const Function f = [&](const std::vector<Tensor>& x) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]->value().id() != x[i].id()) all[i]->set(x[i]);
    Pass pass = Pass::training(1, 0);
    return (*layer)(entry.input.is_float() ? x.back() : entry.input, pass);
  };
  GradcheckOptions options;
  options.tolerance = entry.tolerance;
  return gradcheck(f, inputs, options);
}

}  // namespace tapehead
