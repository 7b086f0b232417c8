#pragma once
// Attention maps as text, pictures, pages and arrays; with the heads in the order of the maps.
#include "../terminal/terminal.hpp"
#include "../web/page.hpp"
#include "map.hpp"

#include <map>

namespace tapehead {

/// Characters; the heads of a layer are side by side as far as they fit the width.
std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal);

/// A picture of all heads, for light and dark backgrounds, in one file without script or fonts.
std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title);

/// A page in one file that shows any of the heads, and each weight with its two tokens. What it
/// shows is in its address: #layer=0&head=1, or with a weight #layer=0&head=1&query=9&key=3.
/// `image` is what the model read as patches, or null.
std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image = nullptr);

/// NumPy's file format: f32 (layers, heads, queries, keys). Throws UsageError if the maps differ in
/// shape.
std::string attention_npy(const std::vector<AttentionMap>& maps);

/// For NumPy's format of several arrays: (heads, queries, keys) of each layer, by its module.
std::map<std::string, Tensor> attention_arrays(const std::vector<AttentionMap>& maps);

}  // namespace tapehead
