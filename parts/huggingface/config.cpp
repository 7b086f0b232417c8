#include "config.hpp"
#include "../../train/config/choices.hpp"
#include "../../train/files/json.hpp"
#include "../../train/safetensors/safetensors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

struct Activations {
  const char *hub, *ours;
};
// The names of activations in Hugging Face and in Tapehead. An activation is exported with its
// first name in this list.
constexpr Activations activations[] = {{"gelu_new", "gelu"},
                                       {"gelu_pytorch_tanh", "gelu"},
                                       {"gelu_fast", "gelu"},
                                       {"gelu", "gelu-erf"},
                                       {"relu", "relu"}};
constexpr const char* dropouts[] = {"resid_pdrop", "embd_pdrop", "attn_pdrop"};

/// Access to the members of a config.json. Error messages name the file and the member.
class Members {
 public:
  Members(const std::string& text, const std::string& path) : path_(path) {
    const std::optional<Json> json = parse_json(text);
    if (!json || !json->is_object()) fail("not a JSON object");
    json_ = *json;
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw FileError("{}: {}", path_, fmt::format(text, std::forward<Args>(args)...));
  }

  /// Returns a member, or null if it is missing.
  const Json& operator[](const char* name) const { return json_[name]; }
  Index whole(const char* name) const {
    const std::optional<Index> value = json_[name].integer();
    if (json_[name].is_null()) fail("{} is missing, expected an integer >= 1", name);
    if (!value || *value < 1) fail("{} must be an integer >= 1, got {}", name, shown(name));
    return *value;
  }
  double number(const char* name, double by_default) const {
    if (json_[name].is_null()) return by_default;
    const double value = json_[name].number();
    if (!std::isfinite(value)) fail("{} must be a finite number, got {}", name, shown(name));
    return value;
  }
  bool flag(const char* name, bool by_default) const {
    const Json& json = json_[name];
    if (json.is_null()) return by_default;
    if (!json.is_boolean()) fail("{} must be true or false, got {}", name, shown(name));
    return std::get<bool>(json.value());
  }
  /// Returns a member's JSON text for messages, truncated to 100 characters.
  std::string shown(const char* name) const { return to_text(json_[name]).substr(0, 100); }

 private:
  const std::string& path_;
  Json json_;
};

void check_kind(const Members& members) {
  const Json& type = members["model_type"];
  if (!type.is_null() && type.string() != "gpt2")
    members.fail("only model_type \"gpt2\" is supported, got {}", members.shown("model_type"));
  for (const Json& name : members["architectures"].items())
    if (name.string() != "GPT2LMHeadModel" && name.string() != "GPT2Model")
      members.fail("only GPT2LMHeadModel and GPT2Model are supported, got {} in architectures",
                   quote(name.string()));
  for (const char* absent : {"pruned_heads", "quantization_config"})
    if (const Json& value = members[absent]; !value.is_null() && !value.members().empty())
      members.fail("{} isn't supported, got {}", absent, members.shown(absent));
  if (members.flag("add_cross_attention", false))
    members.fail("add_cross_attention must be false: a GPT has no cross-attention");
}

std::string activation(const Members& members) {
  const Json& given = members["activation_function"];
  const std::string name = given.is_null() ? activations[0].hub : given.string();
  std::vector<std::string> known;
  for (const Activations& row : activations) {
    if (name == row.hub) return row.ours;
    known.emplace_back(row.hub);
  }
  members.fail("unknown activation_function {}; expected one of {}",
               members.shown("activation_function"), fmt::join(known, ", "));
}

std::string score_scale(const Members& members) {
  const bool divided = members.flag("scale_attn_weights", true);
  const bool by_layer = members.flag("scale_attn_by_inverse_layer_idx", false);
  if (by_layer && !divided)
    members.fail("scale_attn_by_inverse_layer_idx requires scale_attn_weights, which is false");
  return by_layer ? "layer" : divided ? "standard" : "one";
}

/// Returns the dropout rate. If the model's three rates differ, adds a warning to `note`, not an
/// error, since dropout only affects further training.
double dropout(const Members& members, std::string& note) {
  const double one = members.number(dropouts[0], 0.1);
  for (const char* name : dropouts)
    if (const double other = members.number(name, 0.1); other != one)
      note = fmt::format("{} is {} but {} is {}: further training uses {} for all", dropouts[0],
                         one, name, other, one);
  return one;
}

/// Returns the values of all attention options as texts, by option name.
std::map<std::string, std::string> texts_of(HeadOptions options) {
  std::map<std::string, std::string> texts;
  Fields all([&](const Field& field) { texts[field.name] = text_of(field); });
  options.options(all);
  return texts;
}

/// Throws UsageError for the first option that GPT-2 doesn't support.
void check_is_gpt2(const TrainConfig& config, const ModelOptions& model) {
  const auto refuse = [](const char* option, const std::string& value, const std::string& needed) {
    throw UsageError("--{} {} can't be exported as GPT-2; it supports only {}", option, value,
                     needed);
  };
  const auto require = [&](const char* option, const std::string& value, const char* needed) {
    if (value != needed) refuse(option, value, fmt::format("--{} {}", option, needed));
  };
  require("arch", config.arch, "gpt");
  require("attention", config.attention, "standard");
  require("position", config.position, "learned");
  require("norm", config.norm, "layer");
  const auto text = [](bool value) { return value ? "true" : "false"; };
  require("biases", text(model.biases), "true");
  require("residual", text(model.residual), "true");
  if (distinct_blocks(model) < model.layers)
    refuse("share-layers", std::to_string(model.share_layers), "--share-layers 0");
  if (model.convolution > 0)
    refuse("convolution", std::to_string(model.convolution), "--convolution 0");
  // GPT-2 has none of the other attention options, so they must have their default values.
  const std::map<std::string, std::string> usual = texts_of(HeadOptions());
  for (const auto& [option, value] : texts_of(model))
    if (option != "heads" && option != "kv-heads" && option != "head-width")
      require(option.c_str(), value, usual.at(option).c_str());
  if (model.kv_heads > 0 && model.kv_heads != model.heads)
    refuse("kv-heads", std::to_string(model.kv_heads), "--kv-heads 0");
  if (model.head_width > 0 && model.head_width * model.heads != model.width)
    refuse("head-width", std::to_string(model.head_width), "--head-width 0");
  require("dtype", config.dtype == "bf16" ? "f32" : config.dtype, "f32");
}

}  // namespace

void HubConfig::untie() {
  tied = false;
  settings.emplace_back("tied-head", "false");
}

HubConfig read_hub_config(const std::string& text, const std::string& path) {
  const Members members(text, path);
  check_kind(members);
  HubConfig config;
  config.vocabulary = members.whole("vocab_size");
  config.tied = members.flag("tie_word_embeddings", true);
  const auto set = [&](const char* name, auto value) {
    config.settings.emplace_back(name, fmt::format("{}", value));
  };
  set("layers", members.whole("n_layer"));
  set("heads", members.whole("n_head"));
  set("width", members.whole("n_embd"));
  set("context", members.whole("n_positions"));
  if (!members["n_inner"].is_null()) set("mlp-width", members.whole("n_inner"));
  set("mlp", activation(members));
  set("attention-scale", score_scale(members));
  set("norm-epsilon", members.number("layer_norm_epsilon", 1e-5));
  set("init-std", members.number("initializer_range", 0.02));
  set("dropout", dropout(members, config.note));
  set("tied-head", config.tied);
  return config;
}

Json hub_config(const TrainConfig& config, const ModelOptions& model, int end_of_text) {
  check_is_gpt2(config, model);
  const auto found = std::find_if(std::begin(activations), std::end(activations),
                                  [&](const Activations& row) { return config.mlp == row.ours; });
  if (found == std::end(activations))
    throw UsageError(
        "--mlp {} can't be exported as GPT-2; it supports only gelu, gelu-erf and relu",
        config.mlp);
  Json json = {{"model_type", "gpt2"},
               {"architectures", Json::array({"GPT2LMHeadModel"})},
               {"vocab_size", model.vocabulary},
               {"n_positions", model.context},
               {"n_embd", model.width},
               {"n_layer", model.layers},
               {"n_head", model.heads},
               {"n_inner", model.mlp_width > 0 ? Json(model.mlp_width) : Json()},
               {"activation_function", found->hub},
               {"layer_norm_epsilon", model.epsilon},
               {"initializer_range", model.init_std},
               {"scale_attn_weights", model.scale != ScoreScale::one},
               {"scale_attn_by_inverse_layer_idx", model.scale == ScoreScale::layer},
               {"tie_word_embeddings", model.tied}};
  for (const char* name : dropouts) json[name] = model.dropout;
  for (const char* name : {"bos_token_id", "eos_token_id"})
    json[name] = end_of_text < 0 ? Json() : Json(end_of_text);
  json["torch_dtype"] = "float32";
  return json;
}

}  // namespace tapehead
