#pragma once
// The mean of a few values, and how well they tell it.
#include <cstddef>
#include <vector>

namespace tapehead {

struct Mean {
  std::size_t count = 0;
  double mean = 0;
  /// The standard deviation of a sample, with count - 1 below the fraction; NaN for one value.
  double deviation = 0;
  /// Half the width of the 95 % confidence interval of the mean, by Student's t with count - 1
  /// degrees of freedom; NaN for one value. It supposes values of a normal distribution.
  double margin = 0;
};
/// Of at least one value. All are NaN where one of them isn't finite.
Mean mean_of(const std::vector<double>& values);

/// The t that 95 % of Student's distribution lie within, from -t to t, for a whole number of
/// degrees of freedom of at least 1.
double student_t(std::size_t freedom);

}  // namespace tapehead
