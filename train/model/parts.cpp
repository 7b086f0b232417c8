#include "parts.hpp"

namespace tapehead {
namespace {

template <class T>
ModelPart part(const char* name, const char* summary, T ModelOptions::*option, T value,
               std::vector<std::string> reads = {}) {
  return {name, summary, [=](ModelOptions& model, const OwnValues&) { model.*option = value; },
          std::move(reads)};
}

ModelPart position(const char* name, const char* summary, Position value,
                   std::vector<std::string> reads = {}) {
  return part(name, summary, &ModelOptions::position, value, std::move(reads));
}
ModelPart mlp(const char* name, const char* summary, Activation value) {
  return part(name, summary, &ModelOptions::mlp, std::optional<Activation>(value), {"mlp-width"});
}

}  // namespace

std::vector<ModelPart> attention_parts() {
  return {{"standard",
           "multi-head attention",
           [](ModelOptions& model, const OwnValues&) { model.attention = {}; },
           {"heads", "kv-heads", "head-width", "position", "attention-temperature",
            "attention-scale", "window", "hide-self", "qk-norm"}}};
}

std::vector<ModelPart> position_parts() {
  return {position("none", "what a causal mask gives away", Position::none),
          position("learned", "a vector for each, added to the input", Position::learned),
          position("sinusoidal", "sines and cosines, added to the input", Position::sinusoidal),
          position("rotary", "queries and keys are turned", Position::rotary, {"rotary-base"}),
          position("alibi", "scores fall with distance", Position::alibi),
          position("relative", "a vector for each distance", Position::relative, {"reach"}),
          position("t5", "a number for each bucket of distances", Position::t5)};
}

std::vector<ModelPart> norm_parts() {
  return {part("layer", "mean 0, variance 1, then gain and bias", &ModelOptions::norm, Norm::layer,
               {"norm-epsilon"}),
          part("rms", "mean square 1, without parameters", &ModelOptions::norm, Norm::rms,
               {"norm-epsilon"}),
          part("none", "no norm", &ModelOptions::norm, Norm::none)};
}

std::vector<ModelPart> mlp_parts() {
  return {
      mlp("gelu", "GELU by tanh", Activation::gelu),
      mlp("gelu-erf", "GELU itself", Activation::gelu_erf),
      mlp("relu", "max(x, 0)", Activation::relu),
      mlp("relu2", "the square of ReLU", Activation::relu2),
      mlp("swiglu", "gated by SiLU", Activation::swiglu),
      part("none", "blocks of attention alone", &ModelOptions::mlp, std::optional<Activation>())};
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
      throw;  // it says itself what was asked for
    } catch (const std::exception& error) {
      throw Error("--{} {}: {}", parts->option(), *name, error.what());
    }
  }
  return options;
}

}  // namespace tapehead
