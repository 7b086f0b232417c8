#include "image_json.hpp"
#include "picture.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tapehead {

Json image_json(const ImageShape& image, const std::vector<int>& tokens) {
  std::string pixels;
  for (const auto& colour : picture_of(image, tokens).colours)
    for (const double part : colour) pixels += fmt::format("{:02x}", std::lround(255 * part));
  return {{"rows", image.rows}, {"columns", image.columns}, {"pixels", std::move(pixels)}};
}

}  // namespace tapehead
