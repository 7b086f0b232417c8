#pragma once
// Attention maps as SVG pictures and web pages; heads have the same order as in the maps.
#include "../../../cli/attention/map.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../train/files/json.hpp"

namespace tapehead {

/// Returns an SVG of all heads, for light and dark backgrounds, without scripts or embedded fonts.
std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title);

/// Returns a page in one file on which the reader selects a head or a weight. The address contains
/// the selection: #layer=0&head=1, with a weight also &query=9&key=3. `image` is the example's
/// image with the data for an overlay, or null.
std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image = nullptr);

}  // namespace tapehead
