#pragma once
// The weights of one attention head, drawn in characters.
#include "../../train/watch/head_weights.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// One cell per weight, queries down and keys across, with their tokens beside and above. If the
/// keys do not fit the width, several share a cell, and a line tells how many.
std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& queries,
                    const std::vector<std::string>& keys, const Terminal& terminal);

}  // namespace tapehead
