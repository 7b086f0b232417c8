#pragma once
// Curves of runs that differ in their seed alone, as one curve with a band.
#include "curves.hpp"

namespace tapehead {

/// A quantity over the steps that all of some runs have reported.
struct Band {
  std::string key, chart, unit, name;  ///< as a Curve's
  std::vector<Index> steps;
  std::vector<double> mean, low, high;  ///< over the runs: their mean, the least and the largest
};

/// Of the loss, the held-out loss and the exact match, those that all runs have.
std::vector<Band> bands(const std::vector<Metrics>& runs);

}  // namespace tapehead
