#pragma once
// Attention maps as pictures and pages; with the heads in the order of the maps.
#include "../../../cli/attention/map.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../train/files/json.hpp"

namespace tapehead {

/// A picture of all heads, for light and dark backgrounds, in one file without script or fonts.
std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title);

/// A page in one file that shows any of the heads, and each weight with its two tokens. What it
/// shows is in its address: #layer=0&head=1, or with a weight #layer=0&head=1&query=9&key=3.
/// `image` is an example that is drawn, with what an overlay needs, or null.
std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image = nullptr);

}  // namespace tapehead
