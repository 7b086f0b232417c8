#pragma once
// Attention maps as the viewer of the pages, attention.js, takes them.
#include "../../train/files/json.hpp"
#include "map.hpp"

#include <functional>

namespace tapehead {

/// One layer without its heads: number, name, module and the tokens on its axes.
Json axes_json(const AttentionMap& map);

/// The heads of one layer: number, pattern, entropy, and the weights as `weights_json` writes them.
Json heads_json(const AttentionMap& map,
                const std::function<Json(const HeadWeights&)>& weights_json);

}  // namespace tapehead
