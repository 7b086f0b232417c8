#pragma once
// Accuracy by example length, as a curve of a page or figure.
#include "../../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

class Registry;

/// Exact match, or token accuracy for a text, by length.
struct LengthCurve {
  std::string option, quantity;  ///< the task's length option; the title of the chart
  double trained = 0;            ///< longest trained length
  std::vector<double> lengths, values;
  std::vector<double> low = {}, high = {};  ///< band; empty: none
};
/// Evaluates the last checkpoint of a run at `lengths`, as in `--lengths`, with 95 % confidence
/// intervals over the examples as band. If `lengths` is empty, takes up to 20 of the trained
/// lengths of a run that has several, and returns an empty curve for others. Throws UsageError if
/// the run can't have a length, and FileError without a checkpoint.
LengthCurve length_curve(const std::string& run, const std::string& lengths,
                         const Registry& registry);
/// Returns the curve as {option, quantity, trained, lengths, values, low, high}; null if it is
/// empty.
Json to_json(const LengthCurve& curve);

/// Returns the mean of runs' curves at the same lengths, with a band from the lowest to the
/// highest.
LengthCurve mean_curve(const std::vector<LengthCurve>& runs);

}  // namespace tapehead
