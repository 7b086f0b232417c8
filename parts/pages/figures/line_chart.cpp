#include "../../../train/files/strings.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tapehead {
namespace {

constexpr double plot_height = 120, row_height = 11;  // row_height: height of a row of the legend

/// Splits the legend into rows of as many lines as fit. Returns the indices of each row's lines.
std::vector<std::vector<std::size_t>> legend_rows(const LineChart& chart) {
  std::vector<std::vector<std::size_t>> rows;
  double used = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    if (chart.lines[i].name.empty()) continue;
    const double width = 30 + width_of(chart.lines[i].name);
    if (rows.empty() || used + width > Drawing::column) {
      rows.emplace_back();
      used = 0;
    }
    rows.back().push_back(i);
    used += width;
  }
  return rows;
}

bool is_drawn(const LineChart& chart, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!chart.log_x || x > 0) && (!chart.log_y || y > 0);
}

}  // namespace

Drawing draw(const LineChart& chart) {
  std::vector<double> xs, ys;
  for (const ChartLine& line : chart.lines)
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (!is_drawn(chart, line.x[i], line.y[i])) continue;
      xs.push_back(line.x[i]);
      ys.push_back(line.y[i]);
      if (!line.high.empty()) ys.insert(ys.end(), {line.low[i], line.high[i]});
    }
  const auto [low, high] = Axis1D::ends(ys, chart.log_y);
  auto [first, last] = Axis1D::ends(xs, chart.log_x);
  if (!chart.log_x && !xs.empty()) {
    const auto [least, largest] = std::minmax_element(xs.begin(), xs.end());
    if (*least < *largest) last = *largest;
  }
  Drawing drawing;
  drawing.title = chart.title;
  const double top = 8, bottom = top + plot_height;
  double wide = 0;
  for (const double tick : ticks(low, high, 5, chart.log_y))
    wide = std::max(wide, width_of(tick_text(tick)));
  const double left = 12 + wide + 4, right = Drawing::column - 10;
  const Axis1D x(first, last, chart.log_x, left, right), y(low, high, chart.log_y, bottom, top);

  for (const double tick : y.ticks(5)) {
    drawing.line({{left, y.place(tick)}, {right, y.place(tick)}}, 0xdddddd, 0.4);
    drawing.text({left - 3, y.place(tick) + 2.8}, tick_text(tick), Mark::Anchor::end);
  }
  for (const double tick : x.ticks(5)) {
    drawing.line({{x.place(tick), bottom}, {x.place(tick), bottom + 2.5}});
    drawing.text({x.place(tick), bottom + 10.5}, tick_text(tick), Mark::Anchor::middle);
  }
  drawing.line({{left, top}, {left, bottom}, {right, bottom}});
  drawing.text({(left + right) / 2, bottom + 21}, chart.x_name, Mark::Anchor::middle);
  drawing.text({8, (top + bottom) / 2}, chart.y_name, Mark::Anchor::middle, true);

  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    std::vector<Place> points, back;
    for (std::size_t at = 0; at < line.high.size(); ++at) {
      if (!is_drawn(chart, line.x[at], line.high[at])) continue;
      points.push_back({x.place(line.x[at]), y.place(line.high[at])});
      const double floor = chart.log_y ? std::max(line.low[at], low) : line.low[at];
      back.push_back({x.place(line.x[at]), y.place(floor)});
    }
    points.insert(points.end(), back.rbegin(), back.rend());
    if (!points.empty()) drawing.area(points, chart_colours[i % chart_colours.size()], 0.2);
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    std::vector<Place> points;
    for (std::size_t at = 0; at < line.x.size(); ++at)
      if (is_drawn(chart, line.x[at], line.y[at]))
        points.push_back({x.place(line.x[at]), y.place(line.y[at])});
    if (points.size() == 1) points.push_back({points[0].x + 1, points[0].y});
    if (!points.empty())
      drawing.line(points, chart_colours[i % chart_colours.size()], 1, chart_dashes(i));
  }
  for (const auto& [at, word] : chart.marked) {
    drawing.line({{x.place(at), top}, {x.place(at), bottom}}, 0x444444, 0.6, {2, 2});
    const bool is_right = x.place(at) > (left + right) / 2;
    drawing.text({x.place(at) + (is_right ? -3 : 3), top + 7}, word,
                 is_right ? Mark::Anchor::end : Mark::Anchor::start);
  }
  double at_y = bottom + 33;
  for (const std::vector<std::size_t>& row : legend_rows(chart)) {
    double at_x = 4;
    for (const std::size_t i : row) {
      drawing.line({{at_x, at_y - 2.8}, {at_x + 18, at_y - 2.8}},
                   chart_colours[i % chart_colours.size()], 1, chart_dashes(i));
      drawing.text({at_x + 21, at_y}, chart.lines[i].name);
      at_x += 30 + width_of(chart.lines[i].name);
    }
    at_y += row_height;
  }
  drawing.height = at_y - row_height + 5;
  return drawing;
}

std::string csv_of(const LineChart& chart) {
  std::vector<std::string> head = {csv_cell(chart.x_name)};
  std::map<double, std::vector<std::string>> rows;
  for (const ChartLine& line : chart.lines) {
    const std::string name = line.name.empty() ? chart.y_name : line.name;
    const std::size_t column = head.size();
    head.push_back(csv_cell(name));
    if (!line.high.empty())
      head.insert(head.end(), {csv_cell(name + " lowest"), csv_cell(name + " highest")});
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      std::vector<std::string>& row = rows[line.x[i]];
      row.resize(column);
      row.push_back(csv_cell(line.y[i]));
      if (line.high.empty()) continue;
      row.push_back(csv_cell(line.low[i]));
      row.push_back(csv_cell(line.high[i]));
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (auto& [x, row] : rows) {
    row.resize(head.size());
    row[0] = csv_cell(x);
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

}  // namespace tapehead
