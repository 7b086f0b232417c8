#pragma once
// Images, drawn in characters.
#include "../../cli/terminal/terminal.hpp"
#include "patches.hpp"

#include <array>

namespace tapehead {

/// Red, green and blue, from 0 to 1, row by row.
struct Picture {
  Index rows, columns;
  std::vector<std::array<double, 3>> colours;
};

/// The picture of an image's tokens.
Picture make_picture(const ImageShape& image, const std::vector<int>& tokens);
/// Weights, (rows, columns) of them, from black to white for the largest.
Picture make_picture(Index rows, Index columns, const std::vector<double>& weights);
/// A picture that shines through weights, which are orange.
Picture blend(const Picture& picture, const Picture& weights);
/// The same in another size; where that is smaller, colours are averaged.
Picture resize(const Picture& picture, Index rows, Index columns);

/// Lines of characters, each of which stands for two pixels, one above the other: in 256 colours,
/// or by brightness. Small pictures are drawn larger, and those that don't fit the width smaller.
std::string render(const Picture& picture, const Terminal& terminal);

}  // namespace tapehead
