#pragma once
// A picture for print: lines, areas and texts, in points of 1/72 inch.
#include <string>
#include <vector>

namespace tapehead {

struct Place {
  double x, y;  ///< distance from the upper left corner
};

/// An element of a drawing; later elements cover earlier ones.
struct Mark {
  enum class Kind { line, area, text } kind;
  std::vector<Place> points;  ///< of a line or area; for a text, the anchor of its baseline
  std::string text = "";
  unsigned colour = 0x000000;  ///< 0xrrggbb
  double width = 0.5;          ///< line width
  std::vector<double> dashes = {};
  double opacity = 1;
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  bool upwards = false;  ///< text rotated to read upwards
};

struct Drawing {
  static constexpr double column = 234;   ///< column width of a paper, 3.25 in
  static constexpr double font_size = 8;  ///< of all texts

  double width = column, height = 0;
  std::string title;  ///< for screen readers
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

/// A figure and its numbers.
struct Figure {
  std::string name;  ///< name of its files, such as validation-loss
  Drawing drawing;
  std::string csv;
};
/// Writes NAME.svg and NAME.csv into the folder, creating it if needed. Returns the names of the
/// files: `loss.svg and .csv`.
std::string write_figure(const Figure& figure, const std::string& folder);

}  // namespace tapehead
