#pragma once
// What one attention head looks at, drawn in characters.
#include "../../train/watch/pattern.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// Queries down, keys across, one cell a weight; tokens beside and above. Where the keys don't fit
/// the width, several share a cell, and a line says so.
std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& queries,
                    const std::vector<std::string>& keys, const Terminal& terminal);

}  // namespace tapehead
