#pragma once
// Axes and colours of charts.
#include "chart.hpp"

#include <array>

namespace tapehead {

/// The colours of curves, 0xrrggbb. In greyscale, dashes distinguish the curves.
constexpr std::array<unsigned, 8> chart_colours = {0x1653a3, 0xc2410c, 0x0f7b4f, 0x8b3fb5,
                                                   0x8a6100, 0xb3246b, 0x00727f, 0x4b5563};
/// Returns the dash pattern of curve `number`.
const std::vector<double>& chart_dashes(std::size_t number);

/// A mapping from values to positions in a drawing.
class Axis1D {
 public:
  Axis1D(double low, double high, bool log, double from, double to);
  /// Returns the first and last value of an axis that shows these values, with a margin.
  static std::pair<double, double> ends(const std::vector<double>& values, bool log);

  /// Returns the position of a value in the drawing.
  double place(double value) const;
  std::vector<double> ticks(int count) const { return tapehead::ticks(low_, high_, count, log_); }

 private:
  double low_, high_;
  bool log_;
  double from_, to_;
};

/// Formats a number briefly for an axis: 0.001, 1e-05, 20k.
std::string tick_text(double value);

}  // namespace tapehead
