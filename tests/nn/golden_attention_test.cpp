// Comparison with torch.nn.MultiheadAttention, scaled_dot_product_attention, and papers.
#include "../../nn/attention/presets.hpp"
#include "../shared/golden.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(golden_attention)

namespace {

/// Reorders the columns of weights as in PyTorch. There the extra keys are last, and the learned
/// key comes before the zero key.
Tensor extra_last(const Tensor& weights, Index extra) {
  std::vector<Tensor> parts = {slice(weights, 3, extra, weights.dim(3))};
  for (Index i = extra; i-- > 0;) parts.push_back(slice(weights, 3, i, i + 1));
  return concat(parts, 3);
}

/// Returns the gradients of a layer's parameters by their PyTorch names.
std::map<std::string, Tensor> torch_gradients(const MultiHeadAttention& layer,
                                              const Gradients& gradients) {
  std::map<std::string, Tensor> all;
  const auto of = [&](const Parameter& parameter) { return gradients[parameter.value()]; };
  if (layer.projection.qkv) {
    all["in_proj_weight"] = of(layer.projection.qkv->weight);
    if (layer.projection.qkv->bias.present) all["in_proj_bias"] = of(layer.projection.qkv->bias);
  } else {
    all["q_proj_weight"] = of(layer.projection.query->weight);
    all["k_proj_weight"] = of(layer.projection.key->weight);
    all["v_proj_weight"] = of(layer.projection.value->weight);
    if (layer.projection.query->bias.present)
      all["in_proj_bias"] =
          concat({of(layer.projection.query->bias), of(layer.projection.key->bias),
                  of(layer.projection.value->bias)},
                 0);
  }
  if (layer.projection.bias_key.present) {
    all["bias_k"] = reshape(of(layer.projection.bias_key), {1, 1, -1});
    all["bias_v"] = reshape(of(layer.projection.bias_value), {1, 1, -1});
  }
  all["out_proj.weight"] = of(layer.out->weight);
  if (layer.out->bias.present) all["out_proj.bias"] = of(layer.out->bias);
  return all;
}

void check_multihead_attention(GoldenCase& c) {
  presets::TorchOptions given;
  given.bias = c.options.value("bias", true);
  given.add_bias_kv = c.options.value("add_bias_kv", false);
  given.add_zero_attn = c.options.value("add_zero_attn", false);
  given.kdim = c.options.value("kdim", 0), given.vdim = c.options.value("vdim", 0);
  MultiHeadAttention layer(
      presets::torch(c.options.at("embed_dim"), c.options.at("num_heads"), given));
  initialise(layer, 1, c.dtype);
  load_torch(layer, c.group("state."));

  const Tensor q = c.get("q"), own_k = c.find("k"), own_v = c.find("v");
  const Tensor k = own_k ? own_k : q, v = own_v ? own_v : k;
  const Tensor attn_mask = c.find("attn_mask"), key_padding_mask = c.find("key_padding_mask");
  const auto may_attend = [](const Tensor& hidden) {  // PyTorch masks are 1 for hidden keys
    return hidden && !hidden.is_float() ? equal(hidden, zeros({}, DType::i32)) : hidden;
  };
  const AttentionMasks masks = {may_attend(attn_mask), may_attend(key_padding_mask)};

  Pass pass;
  const Tensor alone = layer(q, k, v, pass, masks);
  std::vector<AttentionWeights> all;
  collect_weights(pass, all);
  Tape tape;
  for (const Tensor& x : {q, own_k, own_v, attn_mask, key_padding_mask})
    if (x && x.is_float()) tape.watch(x);
  const Tensor y = layer(q, k, v, pass, masks);
  c.expect("y", y);
  expect_equal(alone, y);  // y is the same if no weights are returned
  c.expect("weights",
           extra_last(all.at(0).weights, Index{given.add_bias_kv} + Index{given.add_zero_attn}));
  const Gradients gradients = tape.backward(y, c.get("dy"));
  for (const auto& [name, x] : {std::pair{"d.q", q},
                                {"d.k", own_k},
                                {"d.v", own_v},
                                {"d.attn_mask", attn_mask},
                                {"d.key_padding_mask", key_padding_mask}})
    if (x && x.is_float()) c.expect(name, gradients[x]);
  for (const auto& [name, gradient] : torch_gradients(layer, gradients))
    c.expect("d." + name, gradient);
}

/// Computes attention on concatenated heads, as layers do.
Tensor side_by_side(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o) {
  const auto together = [](const Tensor& x) {  // (batch, heads, time, d) -> (batch, time, heads d)
    return reshape(permute(x, {0, 2, 1, 3}), Shape{x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
  };
  const Index heads = q.dim(1);
  const Tensor y = multi_head_attention(together(q), together(k), together(v), heads, k.dim(1), o);
  return permute(reshape(y, Shape{q.dim(0), q.dim(2), heads, v.dim(3)}), {0, 2, 1, 3});
}

void check_attention(GoldenCase& c) {
  const Tensor q = c.get("q"), k = c.get("k"), v = c.get("v");
  AttentionOptions o;
  o.causal = c.options.value("causal", false), o.hide_self = c.options.value("hide_self", false);
  o.mask_before_scale = c.options.value("mask_before_scale", false);
  o.mask = c.find("mask"), o.bias = c.find("bias");
  o.relative_keys = c.find("relative_keys"), o.relative_values = c.find("relative_values");
  o.scale = c.find("scale"), o.temperature = c.find("temperature");
  if (c.options.value("alibi", false)) o.bias = alibi_bias(q.dim(1), q.dim(2), k.dim(2), c.dtype);

  Tensor weights;
  o.weights = &weights;
  for (const auto& f : {attention, side_by_side}) {
    Tape tape;
    const std::map<std::string, Tensor> inputs = {{"q", q},
                                                  {"k", k},
                                                  {"v", v},
                                                  {"mask", o.mask},
                                                  {"bias", o.bias},
                                                  {"relative_keys", o.relative_keys},
                                                  {"relative_values", o.relative_values},
                                                  {"scale", o.scale},
                                                  {"temperature", o.temperature}};
    for (const auto& [name, x] : inputs)
      if (c.has("d." + name)) tape.watch(x);
    const Tensor y = f(q, k, v, o);
    c.expect("y", y);
    if (c.has("weights")) c.expect("weights", weights);
    const Gradients gradients = tape.backward(y, c.get("dy"));
    for (const auto& [name, x] : inputs)
      if (c.has("d." + name)) c.expect("d." + name, gradients[x]);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(multihead_attention_of_pytorch) {
  each_golden_case("mha", check_multihead_attention);
}

BOOST_AUTO_TEST_CASE(scaled_dot_product_attention_and_distances) {
  each_golden_case("attention", check_attention);
}

BOOST_AUTO_TEST_SUITE_END()
