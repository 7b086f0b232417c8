#include "parts.hpp"
#include "causality.hpp"

#include <algorithm>

namespace tapehead {
namespace {

ModelPart position(const char* name, const char* summary, const Positions& kind) {
  return {name, summary, [=](ModelOptions& model, const OwnValues&) { model.position = kind; }};
}
/// Returns the model part for a position encoding with its own options.
template <class Kind>
ModelPart position(const char* name, const char* summary) {
  const auto make = [](ModelOptions& model, const OwnValues& own) {
    model.position = own.over(Kind{});
  };
  return {name, summary, make, {}, options_of<Kind>()};
}

ModelPart norm(const char* name, const char* summary, const NormFactory& kind) {
  const auto options = [](TrainConfig& config, Fields& f) {
    f("norm-epsilon", config.model.epsilon, Range::positive(), "constant added to the variance");
  };
  return {name, summary, [=](ModelOptions& model, const OwnValues&) { model.norm = kind; },
          kind ? listed(options) : std::vector<Option>()};
}

ModelPart mlp(const char* name, const char* summary, const MLPFactory& kind) {
  const auto options = [](TrainConfig& config, Fields& f) {
    f("mlp-width", config.model.mlp_width, 0, 1 << 20,
      "hidden width of the MLP (0 = 4 * --width, or 8/3 * --width for swiglu)");
  };
  return {name, summary, [=](ModelOptions& model, const OwnValues&) { model.mlp = kind; },
          kind ? listed(options) : std::vector<Option>()};
}

/// Returns the attention options of a model configuration.
std::vector<Option> all_head_options() {
  return listed([](TrainConfig& config, Fields& f) {
    config.model.HeadOptions::options(f);
    f("attention-scale", config.model.scale, scale_names,
      "factor of the attention scores (standard = 1/sqrt(head width), one = 1, layer = 1/sqrt(head "
      "width) / layer number, counted from 1)");
  });
}

std::unique_ptr<Module> made(const AttentionFactory& attention,
                             const AttentionLayerOptions& options) {
  return require_result("attention", attention.make(options));
}

/// Halves the width until the layer is small. Keeps the number of heads, and an even head width.
AttentionLayerOptions narrowed(const AttentionFactory& attention, AttentionLayerOptions options) {
  constexpr Index few = 1 << 20;  // parameters
  Index size = count_parameters(*made(attention, options));
  while (size > few && options.width % (4 * options.heads) == 0 && options.head_width % 4 == 0) {
    AttentionLayerOptions half = options;
    half.width /= 2, half.head_width /= 2;
    try {
      size = count_parameters(*made(attention, half));
    } catch (const Error&) {  // the layer may need a larger width
      break;
    }
    options = half;
  }
  return options;
}

/// A small attention layer of a model with random weights, and an input (1, time, width).
struct SampleLayer {
  SampleLayer(const AttentionFactory& attention, const ModelOptions& model, bool causal) {
    const auto options = narrowed(attention, self_attention_options(model, causal));
    layer = made(attention, options);
    initialise(*layer, 1, model.dtype);
    perturb_parameters(*layer);
    const Index time = std::min<Index>(model.context, 8);
    x = random_normal({1, time, options.width}, {1}, model.dtype);
  }
  Tensor operator()(const Tensor& input) const {
    Pass pass = Pass::evaluation();
    return (*layer)(input, pass);
  }

  std::shared_ptr<Module> layer;
  Tensor x;
};

}  // namespace

std::vector<ModelPart> attention_parts() {
  return {{"standard",
           "multi-head attention",
           [](ModelOptions& model, const OwnValues&) { model.attention = standard_attention(); },
           {"position"},
           all_head_options()}};
}

std::vector<ModelPart> position_parts() {
  return {position("none", "no encoding; only a causal mask shows the order", {}),
          position<LearnedPositions>("learned",
                                     "a learned vector for each position, added to the input"),
          position<SinusoidalPositions>("sinusoidal",
                                        "sines and cosines of each position, added to the input"),
          position<RotaryPositions>("rotary", "queries and keys rotated by their position"),
          position<AlibiPositions>("alibi", "scores that fall with distance"),
          position<RelativePositions>("relative", "a learned vector for each distance"),
          position<T5Positions>("t5", "a learned bias for each bucket of distances")};
}

std::vector<ModelPart> norm_parts() {
  return {norm("layer", "mean 0, variance 1, then gain and bias", make_layer_norm),
          norm("rms", "mean square 1, without parameters", make_rms_norm),
          norm("none", "no norm", nullptr)};
}

std::vector<ModelPart> mlp_parts() {
  return {mlp("gelu", "GELU, tanh approximation", StandardMLP{Activation::gelu}),
          mlp("gelu-erf", "GELU, exact (erf)", StandardMLP{Activation::gelu_erf}),
          mlp("relu", "max(x, 0)", StandardMLP{Activation::relu}),
          mlp("relu2", "the square of ReLU", StandardMLP{Activation::relu2}),
          mlp("swiglu", "gated by SiLU", StandardMLP{Activation::swiglu}),
          mlp("none", "no MLP: blocks have only attention", nullptr)};
}

std::vector<Option> head_options(const std::vector<std::string>& names) {
  std::vector<Option> options;
  for (Option& option : all_head_options())
    if (contains(names, option.name)) options.push_back(std::move(option));
  return options;
}

void check_own_attention(const std::string& name, const AttentionFactory& attention,
                         const ModelOptions& model) {
  const SampleLayer sample(attention, model, true);
  if (const Shape shape = sample(sample.x).shape(); shape != sample.x.shape())
    throw ValueError("attention '{}' returned shape {} for {}, expected the same shape", name,
                     shape, sample.x.shape());
  if (const std::optional<FutureLeak> leak = future_leak(sample, sample.x))
    throw ValueError(
        "attention '{}' is not causal: its output at position {} depends on the later position {}, "
        "which --arch gpt must not see",
        name, leak->position, leak->later);
}

bool is_always_causal(const AttentionFactory& attention, const ModelOptions& model) {
  const SampleLayer sample(attention, model, false);
  return !future_leak(sample, sample.x);
}

}  // namespace tapehead
