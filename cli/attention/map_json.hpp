#pragma once
// Attention maps as JSON for the viewer in pages, attention.js.
#include "../../train/files/json.hpp"
#include "map.hpp"

#include <functional>

namespace tapehead {

/// Returns the properties of a layer without its heads: number, name, module and axis labels.
Json axes_json(const AttentionMap& map);

/// Returns the heads of a layer: number, pattern, entropy, and weights in the format of
/// `weights_json`.
Json heads_json(const AttentionMap& map,
                const std::function<Json(const HeadWeights&)>& weights_json);

}  // namespace tapehead
