#pragma once
// Renders images as characters.
#include "../../cli/terminal/terminal.hpp"
#include "patches.hpp"

#include <array>

namespace tapehead {

/// An image: red, green and blue values from 0 to 1, row by row.
struct Picture {
  Index rows, columns;
  std::vector<std::array<double, 3>> colours;
};

/// Returns the picture of an image's tokens.
Picture make_picture(const ImageShape& image, const std::vector<int>& tokens);
/// Returns weights (rows, columns) as greys; the largest weight is white.
Picture make_picture(Index rows, Index columns, const std::vector<double>& weights);
/// Returns the picture with the weights as an orange overlay.
Picture blend(const Picture& picture, const Picture& weights);
/// Returns the picture at another size. Averages colours when shrinking.
Picture resize(const Picture& picture, Index rows, Index columns);

/// Renders lines of characters; each character stands for two pixels, one above the other. Uses 256
/// colours, or characters by brightness. Enlarges small pictures and shrinks those that are too
/// wide.
std::string render(const Picture& picture, const Terminal& terminal);

}  // namespace tapehead
