#pragma once
#include "../../nn/vision/patches.hpp"
#include "../web/page.hpp"

namespace tapehead {

/// An image as cli/web/images.js draws it: {rows, columns, pixels}, the latter RRGGBB for each.
Json image_json(const ImageShape& image, const std::vector<int>& tokens);

}  // namespace tapehead
