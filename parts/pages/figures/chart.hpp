#pragma once
// Charts for print: curves over steps, results by setting, and heat maps.
#include "../report/curves.hpp"
#include "drawing.hpp"

namespace tapehead {

struct Session;

/// A curve of a chart, with a band from `low` to `high` unless both are empty.
struct ChartLine {
  std::string name;  ///< name in the legend; empty: no entry
  std::vector<double> x, y, low = {}, high = {};
};

/// A chart of curves.
struct LineChart {
  std::string title, x_name, y_name;
  bool log_x = false, log_y = false;  ///< logarithmic axes; these omit values <= 0
  std::vector<ChartLine> lines;
  /// Positions on the x axis with the labels of the vertical lines that mark them.
  std::vector<std::pair<double, std::string>> marked = {};
};
Drawing draw(const LineChart& chart);
/// Returns CSV with a row for each x: `x`, then each line's value and the ends of its band.
std::string csv_of(const LineChart& chart);

/// Results of runs by setting: each setting is a row with a dot for each run and a mark at the
/// median.
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

/// A matrix of numbers in [0, 1] drawn as grey squares, such as an attention head's weights.
struct HeatMap {
  std::string title, x_name, y_name;
  std::vector<std::string> columns, rows;
  std::vector<double> values;  ///< row by row
};
Drawing draw(const HeatMap& map);
std::string csv_of(const HeatMap& map);

/// Returns about `count` axis ticks: multiples of 1, 2 or 5 times a power of ten. For a logarithmic
/// axis that includes at least two powers of ten, returns only powers of ten.
std::vector<double> ticks(double low, double high, int count, bool log = false);

// ---- figures of runs and sweeps

/// Converts a chart's title to a file name: Validation loss -> validation-loss.
std::string figure_name(const std::string& title);
/// Returns the curves of runs, one figure for each chart of the report. For a single run with a
/// checkpoint, also returns the attention maps of its first validation example, up to 16 heads.
/// `lengths` are as in length_curve.
std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured = {},
                                    const std::string& lengths = "");
/// Returns figures of a sweep: its results, and the curves of its best combinations, up to eight.
/// `lengths` are as in length_curve.
std::vector<Figure> figures_of_sweep(const std::string& folder, const Registry& registry,
                                     const std::string& lengths = "");
/// Returns whether the folder contains a finished sweep.
bool is_sweep(const std::string& folder);

}  // namespace tapehead
