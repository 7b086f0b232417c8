#pragma once
// Curves and results as figures in print.
#include "../report/curves.hpp"
#include "drawing.hpp"

namespace tapehead {

struct Session;

/// A curve of a chart, with a band from `low` to `high` where those aren't empty.
struct ChartLine {
  std::string name;  ///< in the legend; empty: none
  std::vector<double> x, y, low = {}, high = {};
};

struct LineChart {
  std::string title, x_name, y_name;
  bool log_x = false, log_y = false;  ///< what isn't above 0 is then left out
  std::vector<ChartLine> lines;
  /// Of the x axis, with a word at each: a line upwards.
  std::vector<std::pair<double, std::string>> marked = {};
};
Drawing draw(const LineChart& chart);
/// A row for each x: `x`, then a column for each line, and those of its band.
std::string csv_of(const LineChart& chart);

/// Results of settings: a row for each, with a dot for each run and a stroke at their median.
struct DotChart {
  struct Row {
    std::string name;
    std::vector<double> values;  ///< non-finite ones aren't drawn
    double median;
  };
  std::string title, x_name;
  std::vector<Row> rows;
};
Drawing draw(const DotChart& chart);
std::string csv_of(const DotChart& chart);

/// Numbers in [0, 1] as grey squares, such as the weights of an attention head.
struct HeatMap {
  std::string title, x_name, y_name;
  std::vector<std::string> columns, rows;
  std::vector<double> values;  ///< row by row
};
Drawing draw(const HeatMap& map);
std::string csv_of(const HeatMap& map);

/// Multiples of 1, 2 or 5 times a power of ten within an axis, about `count`; powers of ten on a
/// logarithmic one that has two of them or more.
std::vector<double> ticks(double low, double high, int count, bool log = false);

// ---- of runs and sweeps

/// The curves of runs, one figure for each chart of the report; of a single run that has a
/// checkpoint, the attention maps of its first held-out example, too, up to 16 heads.
std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured = {});
/// The results of a sweep, and the curves of its best combinations, up to eight.
std::vector<Figure> figures_of_sweep(const std::string& folder);
/// Whether a sweep has ended in this folder.
bool is_sweep(const std::string& folder);

}  // namespace tapehead
