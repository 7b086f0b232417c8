#pragma once
#include <string>

namespace tapehead {

/// Knows in which range the gradient's norm has been lately, and notices one far above it.
class NormWatch {
 public:
  /// "gradient norm 35.2, and lately it was 0.6 to 1.9"; empty where the norm is as usual, and in
  /// the first steps, whose norms are the range's beginning. The norm then belongs to the range.
  std::string notice(double norm);

 private:
  // Of the logarithm: its mean and variance, older steps counting less and less.
  double mean_ = 0, variance_ = 0;
  long seen_ = 0;
};

}  // namespace tapehead
