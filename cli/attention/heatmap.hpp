#pragma once
// An attention map drawn in characters.
#include "../../train/watch/head_weights.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// Draws one cell per weight, with queries as rows and keys as columns. If the keys don't fit the
/// width, several share a cell, and a line says how many.
std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& queries,
                    const std::vector<std::string>& keys, const Terminal& terminal);

}  // namespace tapehead
