#pragma once
// Attention maps as files. Each takes the heads of the maps in their order.
#include "../terminal/terminal.hpp"
#include "map.hpp"

namespace tapehead {

/// Characters; heads of a layer stand side by side where they fit the width.
std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal);

/// A picture of all heads, for light and dark backgrounds, in one file without script or fonts.
std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title);

/// A page that needs nothing else: it shows any of the heads, and each weight with its two tokens.
/// Its address says what it shows: #layer=0&head=1, or with a weight,
/// #layer=0&head=1&query=9&key=3.
std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title);

/// NumPy's file format: f32 (layers, heads, queries, keys). Throws UsageError where the maps differ
/// in shape.
std::string attention_npy(const std::vector<AttentionMap>& maps);

}  // namespace tapehead
