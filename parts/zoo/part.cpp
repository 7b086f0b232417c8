#include "../../core/checks/inputs.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/model/parts.hpp"
#include "mixers.hpp"

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
struct Mamba2Options {
  Index expand = 2, state = 0;
  void options(Fields& f) {
    f("expand", expand, 1, 64, "width of all heads together, as a multiple of --width");
    f("state-width", state, 0, 1 << 16, "width of the keys (0 = head width)");
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

void set_lstm(ModelOptions& model, const OwnValues&) {
  model.heads = 1;  // it has none, so their number needn't divide the width
  set_layer<zoo::LSTM>(model);
}

void set_mamba2(ModelOptions& model, const OwnValues& own) {
  const auto options = own.as<Mamba2Options>();
  set_layer<zoo::Mamba2>(model, options.expand, options.state);
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
  add("lstm", "recurrent: an LSTM, token by token", set_lstm, {}, {});
  add("gla", "recurrent: gated linear attention, with decays of each key column",
      [](auto& model, const auto&) { set_layer<zoo::GatedLinearAttention>(model); }, {},
      {"heads", "head-width"});
  add("mamba2", "recurrent: Mamba-2 (SSD), with a decay of each head", set_mamba2, {}, {"heads"},
      options_of<Mamba2Options>());
  add("gated-deltanet", "recurrent: decays, and updates by the delta rule",
      [](auto& model, const auto&) { set_layer<zoo::GatedDeltaNet>(model); }, {},
      {"heads", "head-width"});
  LayerEntry convolution{"ShortConvolution", "a causal convolution over four tokens",
                         [] { return std::make_unique<zoo::ShortConvolution>(Index{8}); },
                         normal_sample({2, 5, 8}, 1)};
  LayerEntry convolved{"ConvolvedLinear", "a linear layer, such a convolution, and SiLU",
                       [] {
                         AttentionLayerOptions options;
                         options.width = 8;
                         return std::make_unique<zoo::ConvolvedLinear>(options, Index{8});
                       },
                       normal_sample({2, 5, 8}, 1)};
  for (LayerEntry* entry : {&convolution, &convolved}) {
    entry->causal = entry->keeps_shape = entry->caches = true;
    registry.layer(std::move(*entry));
  }
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
