#include "model_parts.hpp"
#include "registry.hpp"

namespace tapehead {
namespace {

/// Returns options for a small f64 model with this part and its default options.
ModelOptions model_with(const ModelPart& part) {
  OwnValues own;
  for (const Option& option : part.options) own.texts[option.name] = option.default_value;
  ModelOptions options;
  options.vocabulary = options.context = 5;
  options.heads = 2;
  options.width = 8;
  options.dtype = DType::f64;
  part.make(options, own);
  return options;
}

}  // namespace

LayerEntry layer_with(const std::string& kind, const ModelPart& part) {
  const ModelOptions options = model_with(part);
  const Tensor numbers = random_normal({2, options.context, options.width}, {1}, DType::f64);
  LayerEntry layer{part.name, part.summary, {}, numbers};
  layer.keeps_shape = true;
  layer.causal = options.attention.causal;
  layer.caches = options.attention.caches;
  if (kind == "attention")
    layer.make = [=] {
      return require_result(part.name, options.attention.make(self_attention_options(options)));
    };
  else
    layer.make = [=] { return std::make_unique<Block>(options); };
  if (kind != "position" || !options.position.has_input_scheme()) return layer;
  return {part.name, part.summary,
          [=] { return std::make_unique<TokenEmbedding>(options, options.context); },
          tensor({3, 1, 4, 1, 0, 2, 0, 1, 3, 2}, {2, 5}, DType::i32)};
}

ModelOptions model_options(const TrainConfig& config, const Registry& registry) {
  ModelOptions options = config.model;
  for (const auto& [parts, name] : {std::pair(&registry.positions(), &config.position),
                                    {&registry.norms(), &config.norm},
                                    {&registry.mlps(), &config.mlp},
                                    {&registry.attentions(), &config.attention}}) {
    try {
      parts->make (*name)(options, config.own);
    } catch (const UsageError&) {
      throw;  // its message already names the option
    } catch (const std::exception& error) {
      throw Error("--{} {}: its function failed: {}", parts->option(), *name, error.what());
    }
  }
  return options;
}

}  // namespace tapehead
