#pragma once
// Attention maps as text and as an array.
#include "../terminal/terminal.hpp"
#include "map.hpp"

namespace tapehead {

/// Draws maps in characters, the heads of a layer side by side as far as they fit the width.
std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal);

/// Returns a NumPy file (.npy): f32 (layers, heads, queries, keys). Throws UsageError if the maps
/// differ in shape.
std::string attention_npy(const std::vector<AttentionMap>& maps);

}  // namespace tapehead
