#include "weights.hpp"
#include "../../../nn/parameters.hpp"

#include <algorithm>

namespace tapehead::rasp {
namespace {

Index size(std::size_t n) { return static_cast<Index>(n); }

template <class Parts>
Index most(const std::vector<Parts>& blocks) {
  std::size_t n = 1;
  for (const Parts& parts : blocks) n = std::max(n, parts.size());
  return size(n);
}

/// The values of all parameters, by path. Those that aren't set are 0.
class Weights {
 public:
  explicit Weights(Module& module) {
    walk(module, [&](const std::string& path, Parameter& parameter) {
      all_[path] = {&parameter, std::vector<double>(parameter.shape.size())};
    });
  }
  /// Sets row `to` of a layer's weight (rows, width), and its bias if it has one.
  void set(const std::string& layer, Index to, const Row& row) {
    for (const auto& [direction, weight] : row.terms) at(layer + ".weight", to, direction) = weight;
    if (row.bias != 0) all_.at(layer + ".bias").values[to] = row.bias;
  }
  double& at(const std::string& path, Index row, Index column) {
    Target& target = all_.at(path);
    return target.values[row * target.parameter->shape[1] + column];
  }
  void write() const {
    for (const auto& [path, target] : all_)
      target.parameter->set(
          tensor(target.values, target.parameter->shape, target.parameter->dtype));
  }

 private:
  struct Target {
    Parameter* parameter;
    std::vector<double> values;
  };
  std::map<std::string, Target> all_;
};

}  // namespace

Index head_width(const Circuit& circuit) {
  std::size_t n = 1;
  for (const auto& heads : circuit.heads)
    for (const Head& head : heads) n = std::max({n, head.keys.size(), head.values.size()});
  return size(n);
}

Settings model_settings(const Circuit& circuit, bool is_causal) {
  const auto text = [](Index n) { return fmt::format("{}", n); };
  Settings settings = {{"arch", is_causal ? "gpt" : "encoder"},
                       {"layers", text(size(circuit.heads.size()))},
                       {"heads", text(most(circuit.heads))},
                       {"head-width", text(head_width(circuit))},
                       {"width", text(size(circuit.directions.size()))},
                       {"mlp-width", text(most(circuit.neurons))},
                       {"norm", "none"},
                       {"mlp", "relu"},
                       {"position", "learned"},
                       {"attention-scale", "one"}};
  if (is_causal) settings.emplace_back("tied-head", "false");
  return settings;
}

void write_weights(const Circuit& circuit, Module& model) {
  Weights weights(model);
  for (std::size_t i = 0; i < circuit.embedding.size(); ++i)
    weights.set("tokens", size(i), circuit.embedding[i]);
  for (std::size_t i = 0; i < circuit.positions.size(); ++i)
    weights.set("positions", size(i), circuit.positions[i]);
  const Index columns = head_width(circuit), all = most(circuit.heads) * columns;
  for (std::size_t b = 0; b < circuit.heads.size(); ++b) {
    const std::string block = fmt::format("blocks.{}.", b);
    for (std::size_t h = 0; h < circuit.heads[b].size(); ++h) {
      const Head& head = circuit.heads[b][h];
      const Index first = size(h) * columns;
      for (std::size_t i = 0; i < head.keys.size(); ++i) {
        weights.set(block + "attention.qkv", first + size(i), head.queries[i]);
        weights.set(block + "attention.qkv", all + first + size(i), head.keys[i]);
      }
      for (std::size_t i = 0; i < head.values.size(); ++i) {
        weights.set(block + "attention.qkv", 2 * all + first + size(i), head.values[i]);
        weights.at(block + "attention.out.weight", head.writes[i], first + size(i)) = 1;
      }
    }
    for (std::size_t n = 0; n < circuit.neurons[b].size(); ++n) {
      weights.set(block + "mlp.in", size(n), circuit.neurons[b][n].in);
      for (const auto& [direction, weight] : circuit.neurons[b][n].out)
        weights.at(block + "mlp.out.weight", direction, size(n)) = weight;
    }
  }
  for (std::size_t i = 0; i < circuit.logits.size(); ++i)
    weights.set("head", size(i), circuit.logits[i]);
  weights.write();
}

}  // namespace tapehead::rasp
