#pragma once
// A picture for print: lines, areas and texts. Lengths are in points of 1/72 inch.
#include <string>
#include <vector>

namespace tapehead {

struct Place {
  double x, y;  ///< distance from the upper left corner
};

/// An element of a drawing; later elements cover earlier ones.
struct Mark {
  enum class Kind { line, area, text } kind;
  std::vector<Place> points;  ///< points of a line or area; the anchor of a text, on its baseline
  std::string text = "";
  unsigned colour = 0x000000;  ///< 0xrrggbb
  double width = 0.5;          ///< line width
  std::vector<double> dashes = {};
  double opacity = 1;
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  bool upwards = false;  ///< whether a text is rotated to read upwards
};

struct Drawing {
  static constexpr double column = 234;   ///< width of a column in a paper, 3.25 in
  static constexpr double font_size = 8;  ///< font size of all texts

  double width = column, height = 0;
  std::string title;  ///< description for screen readers
  std::vector<Mark> marks = {};

  void line(std::vector<Place> points, unsigned colour = 0, double width = 0.5,
            std::vector<double> dashes = {});
  void area(std::vector<Place> points, unsigned colour, double opacity = 1);
  void text(Place at, const std::string& text, Mark::Anchor anchor = Mark::Anchor::start,
            bool upwards = false);
};

/// Returns the approximate width of a text in points.
double width_of(const std::string& text);

/// Returns the drawing as SVG, in black and colours on white.
std::string to_svg(const Drawing& drawing);

/// A picture and the numbers that it shows.
struct Figure {
  std::string name;  ///< name of its files, such as validation-loss
  Drawing drawing;
  std::string csv;
};
/// Writes NAME.svg and NAME.csv into the folder, which is created if needed. Returns a text with
/// the file names: `loss.svg and .csv`.
std::string write_figure(const Figure& figure, const std::string& folder);

}  // namespace tapehead
