#pragma once
// Attention maps as SVG pictures and web pages, with the heads in the order of the maps.
#include "../../../cli/attention/map.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../train/files/json.hpp"

namespace tapehead {

/// Returns an SVG of all heads for light and dark backgrounds, in one file without scripts or
/// fonts.
std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title);

/// Returns a page in one file that shows any head, and each weight with its query and key. The
/// address holds the selection: #layer=0&head=1, or a weight: #layer=0&head=1&query=9&key=3.
/// `image` is the example's image with the data for an overlay, or null.
std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image = nullptr);

}  // namespace tapehead
