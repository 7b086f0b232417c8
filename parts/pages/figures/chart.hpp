#pragma once
// Charts for print: curves of runs and results of sweeps.
#include "../report/curves.hpp"
#include "drawing.hpp"

namespace tapehead {

struct Session;

/// A curve of a chart, with a band from `low` to `high` unless these are empty.
struct ChartLine {
  std::string name;  ///< name in the legend; empty: no entry
  std::vector<double> x, y, low = {}, high = {};
};

/// A chart of curves.
struct LineChart {
  std::string title, x_name, y_name;
  bool log_x = false, log_y = false;  ///< a logarithmic axis omits values <= 0
  std::vector<ChartLine> lines;
  /// Positions on the x axis marked by a vertical line with a label.
  std::vector<std::pair<double, std::string>> marked = {};
};
Drawing draw(const LineChart& chart);
/// Returns CSV with a row per x: `x`, then a column per line and the columns of its band.
std::string csv_of(const LineChart& chart);

/// Results per setting: a row each, with a dot per run and a mark at the median.
struct DotChart {
  struct Row {
    std::string name;
    std::vector<double> values;  ///< non-finite values aren't drawn
    double median;
  };
  std::string title, x_name;
  std::vector<Row> rows;
};
Drawing draw(const DotChart& chart);
std::string csv_of(const DotChart& chart);

/// A heatmap: numbers in [0, 1] as grey squares, such as the weights of an attention head.
struct HeatMap {
  std::string title, x_name, y_name;
  std::vector<std::string> columns, rows;
  std::vector<double> values;  ///< row by row
};
Drawing draw(const HeatMap& map);
std::string csv_of(const HeatMap& map);

/// Returns about `count` axis ticks: multiples of 1, 2 or 5 times a power of ten. A logarithmic
/// axis with at least two powers of ten gets only those.
std::vector<double> ticks(double low, double high, int count, bool log = false);

// ---- figures of runs and sweeps

/// Returns the curves of runs, one figure for each chart of the report. A single run with a
/// checkpoint adds the attention maps of its first validation example, up to 16 heads.
std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured = {});
/// Returns the results of a sweep and the curves of its best combinations, up to eight.
std::vector<Figure> figures_of_sweep(const std::string& folder);
/// Returns whether this folder has a finished sweep.
bool is_sweep(const std::string& folder);

}  // namespace tapehead
