#include "presets.hpp"

#include <set>

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

namespace {

/// Torch's bias_k is (1, 1, n) where ours is (n).
Shape without_leading_ones(Shape shape) {
  while (shape.rank() > 1 && shape[0] == 1) shape = shape.slice(1, shape.rank());
  return shape;
}

/// Takes tensors out of a state_dict for parameters, and sets these once all are found.
class TorchState {
 public:
  explicit TorchState(const std::map<std::string, Tensor>& state) : state_(state) {}

  Tensor take(const std::string& name, const Shape& wanted) {
    const auto at = state_.find(name);
    if (at == state_.end()) throw ValueError("load_torch: '{}' is missing", name);
    if (without_leading_ones(at->second.shape()) != without_leading_ones(wanted))
      throw ValueError("load_torch: '{}' is {}, and the layer's is {}", name, at->second.shape(),
                       wanted);
    taken_.insert(name);
    return reshape(at->second, wanted);
  }
  void set(Parameter& parameter, const Tensor& value) {
    values_.emplace_back(&parameter, cast(value, parameter.value().dtype()));
  }
  void set(Parameter& parameter, const std::string& name) {
    set(parameter, take(name, parameter.shape));
  }
  void finish() {
    for (const auto& [name, value] : state_)
      if (taken_.count(name) == 0)
        throw ValueError("load_torch: this layer has no place for '{}'", name);
    for (auto& [parameter, value] : values_) parameter->set(value);
  }

 private:
  const std::map<std::string, Tensor>& state_;
  std::set<std::string> taken_;
  std::vector<std::pair<Parameter*, Tensor>> values_;
};

}  // namespace

void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& tensors) {
  if (!layer.out || layer.norm || layer.query_norm ||
      layer.options.temperature != Temperature::none || layer.options.position != Position::none)
    throw ValueError("load_torch: the layer isn't one of torch.nn.MultiheadAttention's kind");
  const Pause pause;
  TorchState state(tensors);
  if (layer.qkv) {
    state.set(layer.qkv->weight, "in_proj_weight");
    if (layer.qkv->bias.present) state.set(layer.qkv->bias, "in_proj_bias");
  } else {
    const std::pair<Linear*, const char*> parts[] = {{&*layer.query, "q_proj_weight"},
                                                     {&*layer.key, "k_proj_weight"},
                                                     {&*layer.value, "v_proj_weight"}};
    const Index rows = layer.query->weight.shape[0];  // as many in each part
    Tensor biases;
    if (layer.query->bias.present) biases = state.take("in_proj_bias", Shape{3 * rows});
    for (Index i = 0; i < 3; ++i) {
      const auto& [linear, name] = parts[i];
      state.set(linear->weight, name);
      if (biases) state.set(linear->bias, slice(biases, 0, i * rows, (i + 1) * rows));
    }
  }
  if (layer.bias_key.present) {
    state.set(layer.bias_key, "bias_k");
    state.set(layer.bias_value, "bias_v");
  }
  state.set(layer.out->weight, "out_proj.weight");
  if (layer.out->bias.present) state.set(layer.out->bias, "out_proj.bias");
  state.finish();
}

}  // namespace tapehead
