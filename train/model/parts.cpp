#include "parts.hpp"
#include "causality.hpp"

#include <algorithm>

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

std::unique_ptr<Module> made(const ModelOptions::MakeLayer& make, const ModelOptions& options) {
  return returned_by("attention", make(options));
}

/// Halves the width until the layer is small. Keeps the number of heads, and each head's width
/// even.
ModelOptions narrowed(const ModelOptions::MakeLayer& make, ModelOptions options) {
  constexpr Index few = 1 << 20;  // parameters
  Index size = count_parameters(*made(make, options));
  while (size > few && options.width % (4 * options.heads) == 0 && options.head_width % 4 == 0) {
    ModelOptions half = options;
    half.width /= 2, half.head_width /= 2;
    try {
      size = count_parameters(*made(make, half));
    } catch (const Error&) {  // a layer may need more
      break;
    }
    options = half;
  }
  return options;
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

void check_own_attention(const std::string& name, const ModelOptions::MakeLayer& make,
                         const ModelOptions& given) {
  const ModelOptions options = narrowed(make, given);
  const std::unique_ptr<Module> layer = made(make, options);
  initialise(*layer, 1, options.dtype);
  as_after_training(*layer);
  const auto forward = [&](const Tensor& x) {
    Pass pass = Pass::evaluation();
    return (*layer)(x, pass);
  };
  const Index time = std::min<Index>(options.context, 8);
  const Tensor x = random_normal({1, time, options.width}, {1}, options.dtype);
  if (const Shape shape = forward(x).shape(); shape != x.shape())
    throw ValueError("attention '{}' gives {} for {}, and must keep the shape", name, shape,
                     x.shape());
  if (const std::optional<FutureLeak> leak = future_leak(forward, x))
    throw ValueError(
        "attention '{}' isn't causal: what it gives for position {} depends on position {}; a "
        "gpt predicts each token from those before it",
        name, leak->position, leak->later);
}

}  // namespace tapehead
