#pragma once
#include <string>

namespace tapehead {

/// Tracks the recent range of the gradient's norm, and reports a norm far above it.
class NormWatch {
 public:
  /// "gradient norm 35.2; recently it was 0.6 to 1.9"; empty for a usual norm, and in the first
  /// steps, which establish the range. The norm is then added to the range.
  std::string notice(double norm);

 private:
  // The exponentially weighted mean and variance of the norm's logarithm.
  double mean_ = 0, variance_ = 0;
  long seen_ = 0;
};

}  // namespace tapehead
