#include <tapehead/nn/attention_presets.hpp>

namespace tapehead {
namespace presets {
namespace {

AttentionLayerOptions sized(Index width, Index heads, Index head_width = 0) {
  AttentionLayerOptions o;
  o.width = width, o.heads = heads, o.head_width = head_width;
  return o;
}

}  // namespace

AttentionLayerOptions single_head(Index width, Index head_width) {
  AttentionLayerOptions o = sized(width, 1, head_width);
  o.value_width = width;
  o.project_out = false;
  return o;
}

AttentionLayerOptions gpt2(Index width, Index heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.causal = true;
  return o;
}

AttentionLayerOptions wide_heads(Index width, Index head_width, Index heads) {
  AttentionLayerOptions o = sized(width, heads, head_width);
  o.causal = true;
  return o;
}

AttentionLayerOptions general(Index c_q, Index c_k, Index c_v, Index d_k, Index d_v, Index d_o,
                              Index heads) {
  AttentionLayerOptions o = sized(c_q, heads, d_k);
  o.fused = false;
  o.key_input = c_k, o.value_input = c_v;
  o.value_width = d_v, o.out_width = d_o;
  return o;
}

AttentionLayerOptions torch(Index embed_dim, Index heads, const TorchOptions& options) {
  AttentionLayerOptions o = sized(embed_dim, heads);
  o.key_input = options.kdim, o.value_input = options.vdim;
  o.fused = (options.kdim == 0 || options.kdim == embed_dim) &&
            (options.vdim == 0 || options.vdim == embed_dim);
  o.in_bias = o.out_bias = options.bias;
  o.bias_kv = options.add_bias_kv, o.zero_kv = options.add_zero_attn;
  o.dropout = options.dropout;
  return o;
}

AttentionLayerOptions vit(Index width, Index heads, Index head_width, double dropout) {
  AttentionLayerOptions o = sized(width, heads, head_width);
  o.pre_norm = true;
  o.in_bias = false;
  o.dropout = o.out_dropout = dropout;
  o.project_out = heads != 1 || head_width != width;
  return o;
}

AttentionLayerOptions transformer(Index width, Index heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.fused = false;
  o.in_bias = o.out_bias = false;
  return o;
}

AttentionLayerOptions grouped(Index width, Index heads, Index kv_heads) {
  AttentionLayerOptions o = sized(width, heads);
  o.causal = true;
  o.kv_heads = kv_heads;
  o.in_bias = o.out_bias = false;
  return o;
}

AttentionLayerOptions relative(Index width, Index heads, Index reach) {
  AttentionLayerOptions o = sized(width, heads);
  o.position = Position::relative;
  o.positions.reach = reach;
  return o;
}

}  // namespace presets

void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& state) {
  std::vector<std::pair<Parameter*, Tensor>> values;
  std::size_t used = 0;
  const auto take = [&](const std::string& name) {
    const auto at = state.find(name);
    if (at == state.end()) throw ValueError("load_torch: '{}' is missing", name);
    ++used;
    return at->second;
  };
  const auto set = [&](Parameter& parameter, const std::string& name, Tensor value) {
    if (value.size() != parameter.shape.size() || value.dim(-1) != parameter.shape[-1])
      throw ValueError("load_torch: '{}' is {}, and the layer's is {}", name, value.shape(),
                       parameter.shape);
    values.emplace_back(&parameter,
                        reshape(cast(value, parameter.value().dtype()), parameter.shape));
  };
  const auto set_linear = [&](Linear& linear, const std::string& weight, const std::string& bias) {
    set(linear.weight, weight, take(weight));
    if (linear.bias.present) set(linear.bias, bias, take(bias));
  };
  const Pause pause;
  if (layer.qkv) {
    set_linear(*layer.qkv, "in_proj_weight", "in_proj_bias");
  } else {
    const std::pair<Linear*, const char*> parts[] = {{&*layer.query, "q_proj_weight"},
                                                     {&*layer.key, "k_proj_weight"},
                                                     {&*layer.value, "v_proj_weight"}};
    Index first = 0;
    Tensor biases;
    if (layer.query->bias.present) biases = take("in_proj_bias");
    for (const auto& [linear, name] : parts) {
      set(linear->weight, name, take(name));
      const Index rows = linear->weight.shape[0];
      if (biases && biases.size() != 3 * rows)
        throw ValueError("load_torch: 'in_proj_bias' is {}, and the layer's is ({})",
                         biases.shape(), 3 * rows);
      if (biases) set(linear->bias, "in_proj_bias", slice(biases, 0, first, first + rows));
      first += rows;
    }
  }
  if (layer.bias_key.present) {
    set(layer.bias_key, "bias_k", take("bias_k"));
    set(layer.bias_value, "bias_v", take("bias_v"));
  }
  set_linear(*layer.out, "out_proj.weight", "out_proj.bias");
  if (used != state.size())
    throw ValueError("load_torch: {} tensors, and this layer has a place for {}", state.size(),
                     used);
  for (auto& [parameter, value] : values) parameter->set(value);
}

}  // namespace tapehead
