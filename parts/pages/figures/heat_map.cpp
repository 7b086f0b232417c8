#include "../../../train/files/strings.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, width_of(name));
  return width;
}

}  // namespace

Drawing draw(const HeatMap& map) {
  Drawing drawing;
  drawing.title = map.title;
  const double columns = static_cast<double>(map.columns.size());
  const double rows = static_cast<double>(map.rows.size());
  const double names = widest(map.rows), left = 14 + names + 3;
  const double cell = std::min((Drawing::column - left - 4) / columns, 16.0);
  // Shows only every n-th label if the labels would overlap.
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(Drawing::font_size / cell)));
  const bool upwards = widest(map.columns) > cell * static_cast<double>(every);
  const double top = 12 + (upwards ? widest(map.columns) + 4 : 11);
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const double value = map.values[i * map.columns.size() + j];
      if (!(value > 0.002)) continue;  // the square would be white
      const auto level = static_cast<unsigned>(std::lround(255 * (1 - std::min(value, 1.0))));
      const double x = left + cell * static_cast<double>(j),
                   y = top + cell * static_cast<double>(i);
      drawing.area({{x, y}, {x + cell, y}, {x + cell, y + cell}, {x, y + cell}}, level * 0x010101);
    }
  const double right = left + cell * columns, bottom = top + cell * rows;
  drawing.line({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}});
  for (std::size_t i = 0; i < map.rows.size(); i += every)
    drawing.text({left - 3, top + cell * (static_cast<double>(i) + 0.5) + 2.8}, map.rows[i],
                 Mark::Anchor::end);
  for (std::size_t j = 0; j < map.columns.size(); j += every) {
    const double x = left + cell * (static_cast<double>(j) + 0.5);
    if (upwards)
      drawing.text({x + 2.8, top - 3}, map.columns[j], Mark::Anchor::start, true);
    else
      drawing.text({x, top - 3}, map.columns[j], Mark::Anchor::middle);
  }
  drawing.text({(left + right) / 2, 9}, map.x_name, Mark::Anchor::middle);
  drawing.text({8, (top + bottom) / 2}, map.y_name, Mark::Anchor::middle, true);
  drawing.height = bottom + 4;
  return drawing;
}

std::string csv_of(const HeatMap& map) {
  std::vector<std::string> head = {""};
  for (const std::string& name : map.columns) head.push_back(csv_cell(name));
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    std::vector<std::string> cells = {csv_cell(map.rows[i])};
    for (std::size_t j = 0; j < map.columns.size(); ++j)
      cells.push_back(csv_cell(map.values[i * map.columns.size() + j]));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace tapehead
