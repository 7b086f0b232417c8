#pragma once
#include "../../../core/shape.hpp"

#include <vector>

namespace tapehead {

/// How well a method detects which of some items are true.
struct Detection {
  Index items = 0, truths = 0, found = 0;
  double precision = 0;  ///< true ones among the found; NaN if none was found
  double recall = 0;     ///< found ones among the true; NaN if none is true
  /// Area under the ROC curve: the probability that a true item scores higher than one that isn't,
  /// where equal scores count 1/2. It doesn't depend on a threshold. NaN if all or none are true.
  double area = 0;
};

/// Compares an item's score, and whether the method reports it, with the truth. All lists have one
/// element per item; NaN scores rank lowest.
Detection detect(const std::vector<bool>& truth, const std::vector<bool>& found,
                 const std::vector<double>& scores);

/// Returns the area under the ROC curve, as in Detection.
double roc_area(const std::vector<bool>& truth, const std::vector<double>& scores);

}  // namespace tapehead
