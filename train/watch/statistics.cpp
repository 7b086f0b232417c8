#include "statistics.hpp"
#include "../../core/kernels/functions/angles.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

constexpr double pi = 3.14159265358979324;

/// Returns arctan(x) for x >= 0 by Newton's method, starting at pi / 4.
double angle_of(double x) {
  double angle = pi / 4;
  for (int i = 0; i < 6; ++i) {
    const double sine = kernel::sin(angle), cosine = kernel::cos(angle);
    angle -= (sine - x * cosine) / (cosine + x * sine);
  }
  return angle;
}

/// Returns the probability that a value of Student's t distribution is within [-t, t] (Abramowitz
/// and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
double within(double t, std::size_t freedom) {
  const double n = static_cast<double>(freedom), angle = angle_of(t / std::sqrt(n));
  const double cosine = kernel::cos(angle), sine = kernel::sin(angle), squared = cosine * cosine;
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (std::size_t power = odd ? 1 : 0; power + 2 <= freedom; power += 2) {
    sum += term;
    const double k = static_cast<double>(power);
    term *= squared * (k + 1) / (k + 2);
  }
  return odd ? 2 / pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double student_t(std::size_t freedom) {
  constexpr std::size_t many = 100'000;  // with more degrees of freedom, t is 1.96 to five digits
  if (freedom > many) freedom = many;
  double low = 0, high = 20;  // t is 12.7 for one degree of freedom, less for others
  for (int halved = 0; halved < 60; ++halved) {
    const double middle = (low + high) / 2;
    (within(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Mean mean_of(const std::vector<double>& values) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const double count = static_cast<double>(values.size());
  Mean result{values.size(), 0, unknown, unknown};
  for (const double value : values) result.mean += value / count;
  if (!std::isfinite(result.mean)) return {values.size(), unknown, unknown, unknown};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  result.margin = student_t(values.size() - 1) * result.deviation / std::sqrt(count);
  return result;
}

Interval wilson(Index right, Index all) {
  constexpr double z = 1.959963984540054;  // 95 % of the normal distribution are within [-z, z]
  const double n = static_cast<double>(all), share = static_cast<double>(right) / n;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {right == 0 ? 0 : middle - half, right == all ? 1 : middle + half};
}

}  // namespace tapehead
