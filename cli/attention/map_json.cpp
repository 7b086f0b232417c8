#include "map_json.hpp"

namespace tapehead {

Json axes_json(const AttentionMap& map) {
  const Index before = map.weights.dim(2) - map.weights.dim(1);  // keys in front of query 0
  return {{"layer", map.layer},
          {"name", map.name},
          {"module", map.module},
          {"queries", labels(map.queries)},
          {"keys", labels(map.keys)},
          {"extra", map.extra},
          {"first", map.cross ? 0 : before - map.extra}};
}

Json heads_json(const AttentionMap& map,
                const std::function<Json(const HeadWeights&)>& weights_json) {
  Json heads = Json::array();
  for (Index i = 0; i < map.heads(); ++i) {
    const HeadWeights weights = map.head(i);
    heads.push_back({{"head", map.first_head + i},
                     {"rule", map.rule(i)},
                     {"entropy", static_cast<float>(entropy(weights))},
                     {"weights", weights_json(weights)}});
  }
  return heads;
}

}  // namespace tapehead
