#pragma once
// A picture for print: lines, areas and texts in points of 1/72 inch.
#include <string>
#include <vector>

namespace tapehead {

struct Place {
  double x, y;  ///< from the upper left corner
};

/// Part of a drawing; later ones cover earlier ones.
struct Mark {
  enum class Kind { line, area, text } kind;
  std::vector<Place>
      points;  ///< of a line or an area; of a text, where its baseline begins or ends
  std::string text = "";
  unsigned colour = 0x000000;  ///< 0xrrggbb
  double width = 0.5;          ///< of a line
  std::vector<double> dashes = {};
  double opacity = 1;
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  bool upwards = false;  ///< a text that is read from below
};

struct Drawing {
  static constexpr double column = 234;   ///< the width of a paper's column, 3.25 in
  static constexpr double font_size = 8;  ///< of all texts

  double width = column, height = 0;
  std::string title;  ///< for whoever can't see it
  std::vector<Mark> marks = {};

  void line(std::vector<Place> points, unsigned colour = 0, double width = 0.5,
            std::vector<double> dashes = {});
  void area(std::vector<Place> points, unsigned colour, double opacity = 1);
  void text(Place at, const std::string& text, Mark::Anchor anchor = Mark::Anchor::start,
            bool upwards = false);
};

/// How wide a text is in print, about, in points.
double width_of(const std::string& text);

/// In black and colours on white.
std::string to_svg(const Drawing& drawing);

/// A figure, and the numbers that it shows.
struct Figure {
  std::string name;  ///< of its files: held-out-loss
  Drawing drawing;
  std::string csv;
};
/// Writes NAME.svg and NAME.csv into the folder, which is created if it doesn't exist. Returns the
/// names of the files: `loss.svg and .csv`.
std::string write_figure(const Figure& figure, const std::string& folder);

}  // namespace tapehead
