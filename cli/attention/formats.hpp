#pragma once
// Attention maps as text and as an array; with the heads in the order of the maps.
#include "../terminal/terminal.hpp"
#include "map.hpp"

namespace tapehead {

/// Characters; the heads of a layer are side by side as far as they fit the width.
std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal);

/// NumPy's file format: f32 (layers, heads, queries, keys). Throws UsageError if the maps differ in
/// shape.
std::string attention_npy(const std::vector<AttentionMap>& maps);

}  // namespace tapehead
