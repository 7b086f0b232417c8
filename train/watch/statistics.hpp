#pragma once
// Means and shares with 95 % confidence intervals.
#include "../../core/shape.hpp"

#include <vector>

namespace tapehead {

/// Returns the mean; NaN without values.
double mean(const std::vector<double>& values);

/// The mean of a few values and its 95 % confidence interval.
struct Mean {
  std::size_t count = 0;
  double mean = 0;
  /// Sample standard deviation, with divisor count - 1; NaN for one value.
  double deviation = 0;
  /// Half the width of the 95 % confidence interval, by Student's t with count - 1 degrees of
  /// freedom; NaN for one value. Assumes normally distributed values.
  double margin = 0;
};
/// Computes the mean of at least one value. The mean, deviation and margin are NaN if a value isn't
/// finite.
Mean mean_of(const std::vector<double>& values);

/// Returns t such that 95 % of Student's t distribution is within [-t, t]. `freedom` is at least 1.
double student_t(std::size_t freedom);

/// A range of values.
struct Interval {
  double low = 0, high = 0;
};
/// Returns the 95 % confidence interval of a share, of which `right` of `all` were observed
/// (Wilson, "Probable inference, the law of succession, and statistical inference"). `all` is at
/// least 1.
Interval wilson(Index right, Index all);

}  // namespace tapehead
