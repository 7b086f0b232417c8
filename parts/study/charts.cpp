#include "../../train/files/number.hpp"
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tapehead {
namespace {

/// Returns the last name in a key, as words: metrics.restricted_loss -> restricted loss.
std::string words_of(const std::string& key) {
  std::string words = key.substr(key.find_last_of('.') + 1);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// Adds a point with the range of its values, if there are any.
void add_point(ChartLine& line, double x, std::vector<double> values, double middle) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }),
      values.end());
  if (values.empty() || !std::isfinite(middle)) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  line.x.push_back(x);
  line.y.push_back(middle);
  line.low.push_back(*low);
  line.high.push_back(*high);
}

/// Returns a metric's median over the seeds at the steps that all runs recorded.
ChartLine curve_of(const StudyResults& results, const StudyFigure& figure, std::size_t row) {
  std::map<Index, std::vector<double>> values;
  for (const StudyRun& run : results.runs[row])
    for (const Json& line : run.lines)
      if (const double value = value_at(line, figure.curve); std::isfinite(value))
        values[line["step"].integer().value_or(0)].push_back(value);
  ChartLine curve{results.plan.rows[row].name, {}, {}};
  const auto steps = static_cast<double>(results.plan.run(row, 0).config.steps);
  const StudyMeasure middle;
  for (const auto& [step, all] : values) {
    if (all.size() < results.runs[row].size()) continue;
    const double x = static_cast<double>(step);
    add_point(curve, figure.x == "share" ? 100 * x / steps : x, all, over_seeds(middle, all));
  }
  return curve;
}

void add_curves(const StudyResults& results, const StudyFigure& figure, LineChart& chart) {
  chart.x_name = figure.x == "share" ? "steps, % of the run" : "steps";
  chart.y_name = words_of(figure.curve);
  for (std::size_t row = 0; row < results.runs.size(); ++row)
    if (is_row(results.plan.rows[row], figure.rows))
      chart.lines.push_back(curve_of(results, figure, row));
}

/// Adds a line per row, with a point for each measure that has a number as its name.
void add_against_measures(const StudyResults& results, const StudyFigure& figure,
                          LineChart& chart) {
  const std::vector<StudyMeasure>& measures = results.study.measures;
  chart.x_name = "";
  chart.y_name = figure.measure;
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    if (!is_row(results.plan.rows[row], figure.rows)) continue;
    ChartLine& line = chart.lines.emplace_back();
    line.name = results.plan.rows[row].name;
    for (std::size_t i = 0; i < measures.size(); ++i)
      if (const auto x = read_real(measures[i].name))
        add_point(line, *x, results.values(row, i),
                  over_seeds(measures[i], results.values(row, i)));
  }
}

/// Adds a line for each combination of the other axes, with a point for each value of the axis.
void add_against_axis(const StudyResults& results, const StudyFigure& figure, LineChart& chart) {
  const Study& study = results.study;
  std::size_t axis = 0, index = 0;
  while (study.axes[axis].name != figure.against) ++axis;
  while (study.measures[index].name != figure.measure) ++index;
  chart.x_name = figure.against;
  chart.y_name = figure.measure + (study.measures[index].percent ? " (%)" : "");
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    const StudyRow& planned = results.plan.rows[row];
    const auto x = read_real(planned.cells[axis]);
    if (!is_row(planned, figure.rows) || !x) continue;
    std::string name;
    for (std::size_t i = 0; i < planned.cells.size(); ++i)
      if (i != axis) name += (name.empty() ? "" : " · ") + planned.cells[i];
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(),
                             [&](const ChartLine& each) { return each.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, ChartLine{name, {}, {}});
    const std::vector<double> values = results.values(row, index);
    add_point(*line, *x, values, over_seeds(study.measures[index], values));
  }
}

}  // namespace

StudyCharts study_charts(const StudyResults& results) {
  StudyCharts charts;
  for (const StudyFigure& figure : results.study.figures) {
    LineChart chart{figure.title, figure.against, "", figure.log_x, figure.log_y, {}};
    if (!figure.curve.empty())
      add_curves(results, figure, chart);
    else if (figure.against == "measures")
      add_against_measures(results, figure, chart);
    else
      add_against_axis(results, figure, chart);
    const bool one_run = results.plan.seeds == 1;
    for (ChartLine& line : chart.lines)
      if (one_run) line.low.clear(), line.high.clear();
    charts.emplace_back(figure_name(figure.title), std::move(chart));
  }
  return charts;
}

}  // namespace tapehead
