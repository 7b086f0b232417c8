#include "axes.hpp"
#include "../../../core/kernels/functions/logarithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {

namespace {

double log10(double x) { return kernel::log(x) / 2.302585092994045684; }
/// Returns 10^power for an integer power; exact for powers up to 22.
double ten_to(double power) {
  double result = 1;
  for (double i = 0; i < std::abs(power); ++i) result *= 10;
  return power < 0 ? 1 / result : result;
}

}  // namespace

const std::vector<double>& chart_dashes(std::size_t number) {
  static const std::vector<std::vector<double>> all = {{},     {4, 2},  {1, 1.5}, {5, 1.5, 1, 1.5},
                                                       {8, 2}, {2.5, 1}};
  return all[number % all.size()];
}

std::vector<double> ticks(double low, double high, int count, bool log) {
  std::vector<double> all;
  if (log) {
    const double first = std::ceil(log10(low) - 1e-9), last = std::floor(log10(high) + 1e-9);
    const double every = std::max(1.0, std::ceil((last - first) / count));
    for (double power = first; power <= last; power += every) all.push_back(ten_to(power));
    if (all.size() >= 2) return all;
    all.clear();
  }
  const double rough = (high - low) / count;
  const double power = ten_to(std::floor(log10(rough)));
  double step = 10 * power;
  for (const double each : {5, 2, 1})
    if (each * power >= rough * 0.999) step = each * power;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    if (!log || i > 0) all.push_back(i * step);
  return all;
}

Axis1D::Axis1D(double low, double high, bool log, double from, double to)
    : low_(low), high_(high), log_(log), from_(from), to_(to) {}

std::pair<double, double> Axis1D::ends(const std::vector<double>& values, bool log) {
  double low = infinity, high = -infinity;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return log ? std::pair(0.1, 1.0) : std::pair(0.0, 1.0);
  if (log) return low == high ? std::pair(low / 2, high * 2) : std::pair(low, high);
  if (low >= 0 && low < 0.4 * high) low = 0;
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 10;
    return {low == 0 ? 0 : low - room, high + room};
  }
  const double room = (high - low) * 0.04;
  return {low == 0 ? 0 : low - room, high + room};
}

double Axis1D::place(double value) const {
  const double share =
      log_ ? log10(value / low_) / log10(high_ / low_) : (value - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e6 && size < 1e15) return fmt::format("{:.6g}M", value / 1e6);
  if (size >= 1e4 && size < 1e6) return fmt::format("{:.6g}k", value / 1e3);
  return fmt::format("{:.6g}", size < 1e-12 ? 0.0 : value);
}

}  // namespace tapehead
