#pragma once
// Attention maps as the viewer in cli/web/attention.js takes them.
#include "../web/page.hpp"
#include "map.hpp"

#include <functional>

namespace tapehead {

/// One layer without its heads: number, name, module and the tokens on its axes.
PageJson axes_json(const AttentionMap& map);

/// The heads of one layer: number, pattern, entropy, and the weights as `weights_json` writes them.
PageJson heads_json(const AttentionMap& map,
                    const std::function<PageJson(const HeadWeights&)>& weights_json);

}  // namespace tapehead
