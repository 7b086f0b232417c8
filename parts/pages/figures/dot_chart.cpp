#include "../../../core/kernels/functions/angles.hpp"
#include "../../../train/files/strings.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {

Drawing draw(const DotChart& chart) {
  constexpr double row = 14, top = 4, radius = 1.8;
  Drawing drawing;
  drawing.title = chart.title;
  double names = 0;
  std::vector<double> values;
  for (const DotChart::Row& each : chart.rows) {
    names = std::max(names, width_of(each.name));
    append(values, each.values);
  }
  const bool above = names > Drawing::column / 2;  // wide names are above their rows
  const double step = above ? 2 * row : row;
  const double left = above ? 8 : names + 10, right = Drawing::column - 8;
  const double bottom = top + step * static_cast<double>(chart.rows.size());
  const auto [low, high] = Axis1D::ends(values, false);
  const Axis1D x(low, high, false, left, right);
  for (const double tick : x.ticks(above ? 5 : 4)) {
    drawing.line({{x.place(tick), top}, {x.place(tick), bottom}}, 0xdddddd, 0.4);
    drawing.text({x.place(tick), bottom + 10}, tick_text(tick), Mark::Anchor::middle);
  }
  drawing.line({{left, top}, {left, bottom}, {right, bottom}});
  drawing.text({(left + right) / 2, bottom + 20.5}, chart.x_name, Mark::Anchor::middle);
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const DotChart::Row& each = chart.rows[i];
    const double y = top + step * static_cast<double>(i) + (above ? 1.5 : 0.5) * row;
    if (above)
      drawing.text({left + 3, y - row + 3}, each.name);
    else
      drawing.text({left - 5, y + 2.8}, each.name, Mark::Anchor::end);
    if (std::isfinite(each.median))
      drawing.line({{x.place(each.median), y - 5}, {x.place(each.median), y + 5}}, 0, 1);
    for (const double value : each.values) {
      if (!std::isfinite(value)) continue;
      std::vector<Place> dot;
      for (int corner = 0; corner < 12; ++corner) {
        const double angle = corner * 3.14159265358979324 / 6;
        dot.push_back(
            {x.place(value) + radius * kernel::cos(angle), y + radius * kernel::sin(angle)});
      }
      drawing.area(dot, chart_colours[0]);
    }
  }
  drawing.height = bottom + 25;
  return drawing;
}

std::string csv_of(const DotChart& chart) {
  std::size_t most = 0;
  for (const DotChart::Row& row : chart.rows) most = std::max(most, row.values.size());
  std::vector<std::string> head = {"settings", "median"};
  for (std::size_t i = 0; i < most; ++i) head.push_back(fmt::format("run {}", i + 1));
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (const DotChart::Row& row : chart.rows) {
    std::vector<std::string> cells = {csv_cell(row.name), csv_cell(row.median)};
    for (const double value : row.values) cells.push_back(csv_cell(value));
    cells.resize(head.size());
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace tapehead
