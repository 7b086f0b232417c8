#include "drawing.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/system/file.hpp"
#include "../../../train/files/files.hpp"

#include <fmt/ranges.h>

#include <filesystem>

namespace tapehead {
namespace {

std::string path_of(const Mark& mark) {
  std::string path;
  for (const Place& place : mark.points)
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L', place.x, place.y);
  return path;
}

std::string element_of(const Mark& mark) {
  const std::string colour = fmt::format("#{:06x}", mark.colour);
  switch (mark.kind) {
    case Mark::Kind::line: {
      const std::string dashes = mark.dashes.empty() ? ""
                                                     : fmt::format(" stroke-dasharray=\"{}\"",
                                                                   fmt::join(mark.dashes, " "));
      return fmt::format(
          R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{}/>)",
          path_of(mark), colour, mark.width, dashes);
    }
    case Mark::Kind::area: {
      const std::string opacity =
          mark.opacity < 1 ? fmt::format(" fill-opacity=\"{}\"", mark.opacity) : "";
      return fmt::format(R"(<path d="{}z" fill="{}"{}/>)", path_of(mark), colour, opacity);
    }
    default: {
      const char* const anchors[] = {"start", "middle", "end"};
      const Place at = mark.points[0];
      const std::string turned =
          mark.upwards ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", at.x, at.y) : "";
      return fmt::format(R"(<text x="{:.2f}" y="{:.2f}" text-anchor="{}"{}>{}</text>)", at.x, at.y,
                         anchors[static_cast<int>(mark.anchor)], turned, escape_markup(mark.text));
    }
  }
}

}  // namespace

void Drawing::line(std::vector<Place> points, unsigned colour, double thick,
                   std::vector<double> dashes) {
  Mark mark{Mark::Kind::line, std::move(points)};
  mark.colour = colour;
  mark.width = thick;
  mark.dashes = std::move(dashes);
  marks.push_back(std::move(mark));
}

void Drawing::area(std::vector<Place> points, unsigned colour, double opacity) {
  Mark mark{Mark::Kind::area, std::move(points)};
  mark.colour = colour;
  mark.opacity = opacity;
  marks.push_back(std::move(mark));
}

void Drawing::text(Place at, const std::string& text, Mark::Anchor anchor, bool upwards) {
  Mark mark{Mark::Kind::text, {at}, text};
  mark.anchor = anchor;
  mark.upwards = upwards;
  marks.push_back(std::move(mark));
}

double width_of(const std::string& text) {
  constexpr double character =
      0.58;  // average width of a character in Helvetica, relative to the font size
  return character * Drawing::font_size * display_width(text);
}

std::string to_svg(const Drawing& drawing) {
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}pt" height="{1}pt" viewBox="0 0 {0} {1}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="{2}">
<title>{3}</title>
<rect width="{0}" height="{1}" fill="#ffffff"/>
)",
      drawing.width, drawing.height, Drawing::font_size, escape_markup(drawing.title));
  for (const Mark& mark : drawing.marks) svg += element_of(mark) + '\n';
  return svg + "</svg>\n";
}

std::string write_figure(const Figure& figure, const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) throw FileError("{}: {}", folder, system::error_message(reason));
  const std::string path = folder + "/" + figure.name;
  write_file(path + ".svg", to_svg(figure.drawing));
  write_file(path + ".csv", figure.csv);
  return path + ".svg and .csv";
}

}  // namespace tapehead
