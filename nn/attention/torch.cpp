#include "presets.hpp"

#include <set>

namespace tapehead {
namespace {

/// Removes leading axes of size 1: bias_k is (1, 1, n) in PyTorch and (n) here.
Shape without_leading_ones(Shape shape) {
  while (shape.rank() > 1 && shape[0] == 1) shape = shape.slice(1, shape.rank());
  return shape;
}

/// Assigns the tensors in a state_dict to parameters. It sets the parameters in finish(), when all
/// tensors have been found.
class TorchState {
 public:
  explicit TorchState(const std::map<std::string, Tensor>& state) : state_(state) {}

  Tensor take(const std::string& name, const Shape& wanted) {
    const auto at = state_.find(name);
    if (at == state_.end()) throw ValueError("load_torch: '{}' is missing", name);
    if (without_leading_ones(at->second.shape()) != without_leading_ones(wanted))
      throw ValueError("load_torch: '{}' is {}, expected {}", name, at->second.shape(), wanted);
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
        throw ValueError("load_torch: this layer has no parameter for '{}'", name);
    for (auto& [parameter, value] : values_) parameter->set(value);
  }

 private:
  const std::map<std::string, Tensor>& state_;
  std::set<std::string> taken_;
  std::vector<std::pair<Parameter*, Tensor>> values_;
};

}  // namespace

void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& tensors) {
  AttentionProjection& in = layer.projection;
  if (!layer.out || in.norm || in.query_norm || in.tied_kv ||
      layer.options.temperature != Temperature::none || layer.positions)
    throw ValueError("load_torch: the layer wasn't made from presets::torch");
  const Pause pause;
  TorchState state(tensors);
  if (in.qkv) {
    state.set(in.qkv->weight, "in_proj_weight");
    if (in.qkv->bias.present) state.set(in.qkv->bias, "in_proj_bias");
  } else {
    const std::pair<Linear*, const char*> parts[] = {
        {&*in.query, "q_proj_weight"}, {&*in.key, "k_proj_weight"}, {&*in.value, "v_proj_weight"}};
    const Index rows = in.query->weight.shape[0];  // number of rows of each projection
    Tensor biases;
    if (in.query->bias.present) biases = state.take("in_proj_bias", Shape{3 * rows});
    for (Index i = 0; i < 3; ++i) {
      const auto& [linear, name] = parts[i];
      state.set(linear->weight, name);
      if (biases) state.set(linear->bias, slice(biases, 0, i * rows, (i + 1) * rows));
    }
  }
  if (in.bias_key.present) {
    state.set(in.bias_key, "bias_k");
    state.set(in.bias_value, "bias_v");
  }
  state.set(layer.out->weight, "out_proj.weight");
  if (layer.out->bias.present) state.set(layer.out->bias, "out_proj.bias");
  state.finish();
}

}  // namespace tapehead
