#include "attention.hpp"

namespace tapehead {

std::vector<std::pair<std::string, std::vector<double>>> learned_factors(
    const MultiHeadAttention& layer) {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  const auto add = [&](const char* name, const Parameter& factors) {
    if (factors.present) all.emplace_back(name, factors.value().values());
  };
  add("scores", layer.temperature);
  // At this point, `all` contains at most layer.temperature, whose values are the exponents s.
  for (auto& [name, exponents] : all)
    for (double& s : exponents) s = temperature_multiplier(s);
  add("scores", layer.scale);
  add("queries", layer.projection.query_scale);
  add("keys", layer.projection.key_scale);
  add("values", layer.projection.value_scale);
  return all;
}

}  // namespace tapehead
