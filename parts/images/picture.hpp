#pragma once
// Renders images as characters in a terminal.
#include "../../cli/terminal/terminal.hpp"
#include "patches.hpp"

#include <array>

namespace tapehead {

/// An image with red, green and blue values from 0 to 1, row by row.
struct Picture {
  Index rows, columns;
  std::vector<std::array<double, 3>> colours;
};

/// Converts an image's tokens to a picture.
Picture make_picture(const ImageShape& image, const std::vector<int>& tokens);
/// Converts weights (rows, columns) to shades of grey; the largest weight is white.
Picture make_picture(Index rows, Index columns, const std::vector<double>& weights);
/// Returns the picture with the weights as an orange overlay.
Picture blend(const Picture& picture, const Picture& weights);
/// Resizes the picture; shrinking averages colours.
Picture resize(const Picture& picture, Index rows, Index columns);

/// Renders the picture as lines of characters, each for two pixels, one above the other. Uses 256
/// colours or, without colours, characters of different brightness. Doubles small pictures and
/// shrinks pictures that are too wide.
std::string render(const Picture& picture, const Terminal& terminal);

}  // namespace tapehead
