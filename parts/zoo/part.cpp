#include "../../core/checks/inputs.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/model/parts.hpp"
#include "layers.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

struct DifferentialOptions {
  double lambda = 0.8;
  void options(Fields& f) {
    f("lambda", lambda, Range::fraction(), "initial weight of the subtracted attention map");
  }
};
struct SinksOptions {
  Index sinks = 4;
  void options(Fields& f) {
    f("sinks", sinks, 0, 1'000'000, "number of first tokens that are visible outside the window");
  }
};
struct LatentOptions {
  Index latent = 0;
  void options(Fields& f) {
    f("latent", latent, 0, 1'000'000, "width of the latent vector (0 = twice the head width)");
  }
};
struct SwitchHeadOptions {
  Index experts = 4, active = 2, width = 0;
  void options(Fields& f) {
    f("experts", experts, 1, 1024,
      "number of experts for the values and for the outputs of each head");
    f("active-experts", active, 1, 1024, "experts that each token uses");
    f("expert-width", width, 0, 1 << 16, "head width (0 = --width / --heads)");
  }
};

/// Makes `Layer` the model's attention. `numbers` are its arguments after the options.
template <class Layer, class... Numbers>
void set_layer(ModelOptions& model, Numbers... numbers) {
  model.attention = [=](const AttentionLayerOptions& o) {
    return std::make_unique<Layer>(o, numbers...);
  };
  model.attention.caches = true;
}

void set_differential(ModelOptions& model, const OwnValues& own) {
  if (model.width % (2 * model.heads) != 0)
    throw UsageError(
        "--attention differential needs --width divisible by twice --heads, got --width {} and "
        "--heads {}",
        model.width, model.heads);
  set_layer<zoo::Differential>(model, own.as<DifferentialOptions>().lambda);
}

void set_sinks(ModelOptions& model, const OwnValues& own) {
  if (model.position.has_attention_scheme() && !model.position.as<RotaryPositions>())
    throw UsageError("--attention sinks needs --position rotary, or positions added to the input");
  set_layer<zoo::Sinks>(model, own.as<SinksOptions>().sinks);
}

void set_switch_head(ModelOptions& model, const OwnValues& own) {
  const auto options = own.as<SwitchHeadOptions>();
  if (options.active > options.experts)
    throw UsageError("--active-experts {} is more than --experts {}", options.active,
                     options.experts);
  model.attention = [=](AttentionLayerOptions o) {
    o.head_width = options.width;
    return std::make_unique<zoo::SwitchHead>(o, options.experts, options.active);
  };
  model.attention.caches = true;
}

}  // namespace

/// Registers the `--attention` values of the zoo.
void add_zoo(Registry& registry) {
  const auto add = [&](const char* name, const char* summary, decltype(ModelPart::make) make,
                       std::vector<std::string> reads, const std::vector<std::string>& of_heads,
                       const std::vector<Option>& own = {}) {
    std::vector<Option> options = head_options(of_heads);
    options.insert(options.end(), own.begin(), own.end());
    registry.attention({name, summary, std::move(make), std::move(reads), std::move(options)});
  };
  add("gated-heads", "each token gates the heads' outputs",
      [](auto& model, const auto&) { set_layer<zoo::GatedHeads>(model); }, {"position"},
      {"heads", "kv-heads", "attention-temperature", "window", "qk-norm"});
  add("differential", "two attention maps per head, one subtracted from the other",
      set_differential, {"position"}, {"heads", "kv-heads", "window", "qk-norm"},
      options_of<DifferentialOptions>());
  add("sinks", "attention to the latest tokens (--window) and to the first tokens", set_sinks,
      {"position"}, {"heads", "kv-heads", "head-width", "window", "qk-norm"},
      options_of<SinksOptions>());
  add("linear", "no softmax: running sums over keys, with linear cost",
      [](auto& model, const auto&) { set_layer<zoo::LinearAttention>(model); }, {},
      {"heads", "head-width"});
  add(
      "latent", "keys and values from one small vector per token",
      [](auto& model, const OwnValues& own) {
        set_layer<zoo::Latent>(model, own.as<LatentOptions>().latent);
      },
      {"position"}, {"heads", "head-width", "window"}, options_of<LatentOptions>());
  add("switchhead", "mixtures of experts for values and outputs", set_switch_head, {"position"},
      {"heads", "window"}, options_of<SwitchHeadOptions>());
  // This window is shorter than the input, unlike the window in the entry of `--attention sinks`.
  LayerEntry near{"Sinks", "two recent keys and the first one",
                  [] {
                    AttentionLayerOptions options;
                    options.width = 8;
                    options.heads = options.window = 2;
                    options.causal = true;
                    return std::make_unique<zoo::Sinks>(options, Index{1});
                  },
                  normal_sample({2, 5, 8}, 1)};
  near.causal = near.keeps_shape = near.caches = true;
  registry.layer(std::move(near));
}

}  // namespace tapehead
