#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tapehead {
namespace {

using Colour = std::array<double, 3>;

double brightness(const Colour& c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]; }
bool is_grey(const Colour& c) { return c[0] == c[1] && c[1] == c[2]; }

/// Returns the number of the nearest terminal colour: one of 24 greys, black and white, or one of a
/// 6 x 6 x 6 cube.
int index_of(const Colour& c) {
  if (is_grey(c)) {
    const int step = static_cast<int>(std::lround(25 * c[0]));
    return step == 0 ? 16 : step == 25 ? 231 : 231 + step;
  }
  int index = 0;
  for (const double part : c)  // the cube's levels are 0, 95, 135, 175, 215 and 255
    index = 6 * index + std::max(0, static_cast<int>(std::lround((255 * part - 55) / 40)));
  return 16 + index;
}

/// Renders two pixels, one above the other, as one character.
std::string cell(const Colour& upper, const Colour& lower, const Terminal& terminal) {
  if (terminal.colour)
    return fmt::format("\x1b[38;5;{};48;5;{}m▀", index_of(upper), index_of(lower));
  constexpr std::string_view ramp = " .:-=+*#%@";
  const double bright = 0.5 * (brightness(upper) + brightness(lower));
  return {ramp[static_cast<std::size_t>(std::lround(9 * std::clamp(bright, 0.0, 1.0)))]};
}

}  // namespace

Picture make_picture(const ImageShape& image, const std::vector<int>& tokens) {
  Picture result{image.rows, image.columns, {}};
  const Index channels = image.channels;
  const auto brightest = static_cast<double>(image.levels - 1);
  for (Index pixel = 0; pixel < image.rows * image.columns; ++pixel) {
    const auto level = [&](Index channel) {
      const Index i = pixel * channels + std::min(channel, channels - 1);
      return static_cast<double>(tokens.at(i) - image.classes) / brightest;
    };
    result.colours.push_back(channels < 3 ? Colour{level(0), level(0), level(0)}
                                          : Colour{level(0), level(1), level(2)});
  }
  return result;
}

Picture make_picture(Index rows, Index columns, const std::vector<double>& weights) {
  Picture result{rows, columns, {}};
  const double most = std::max(*std::max_element(weights.begin(), weights.end()), 1e-30);
  for (const double weight : weights) {
    const double w = std::isfinite(weight) ? weight / most : 0;
    result.colours.push_back({w, w, w});
  }
  return result;
}

Picture blend(const Picture& picture, const Picture& weights) {
  constexpr double share = 0.6;  // share of the orange overlay in the colour
  constexpr Colour orange = {1, 0.55, 0};
  Picture result = resize(weights, picture.rows, picture.columns);
  for (std::size_t i = 0; i < result.colours.size(); ++i)
    for (std::size_t part = 0; part < 3; ++part) {
      double& colour = result.colours[i][part];
      colour = share * orange[part] * colour + (1 - share) * picture.colours[i][part];
    }
  return result;
}

Picture resize(const Picture& picture, Index rows, Index columns) {
  Picture result{rows, columns, {}};
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column) {
      const Index top = row * picture.rows / rows, left = column * picture.columns / columns;
      const Index bottom = std::max(top + 1, (row + 1) * picture.rows / rows);
      const Index right = std::max(left + 1, (column + 1) * picture.columns / columns);
      Colour sum{};
      for (Index y = top; y < bottom; ++y)
        for (Index x = left; x < right; ++x)
          for (std::size_t part = 0; part < 3; ++part)
            sum[part] += picture.colours[y * picture.columns + x][part];
      for (double& part : sum) part /= static_cast<double>((bottom - top) * (right - left));
      result.colours.push_back(sum);
    }
  return result;
}

std::string render(const Picture& picture, const Terminal& terminal) {
  constexpr Index small = 12, margin = 8;
  const Index most = std::max<Index>(terminal.width - margin, 8);
  const bool enlarged = picture.columns <= small && 2 * picture.columns <= most;
  const Index columns = enlarged ? 2 * picture.columns : std::min(picture.columns, most);
  const Index rows = std::max<Index>(picture.rows * columns / picture.columns, 1);
  const Picture shown = resize(picture, rows, columns);
  std::string lines;
  for (Index row = 0; row < rows; row += 2) {
    for (Index column = 0; column < columns; ++column) {
      const Colour &upper = shown.colours[row * columns + column],
                   &lower = row + 1 < rows ? shown.colours[(row + 1) * columns + column] : upper;
      lines += cell(upper, lower, terminal);
    }
    lines += terminal.colour ? "\x1b[0m\n" : "\n";
  }
  return lines;
}

}  // namespace tapehead
