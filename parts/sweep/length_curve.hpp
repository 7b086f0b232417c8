#pragma once
// Accuracy by example length, as a curve of a page or figure.
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

class Registry;

/// Exact match, or token accuracy for a text, by length.
struct LengthCurve {
  std::string option, quantity;  ///< the task's length option; the title of the chart
  double trained = 0;            ///< longest trained length
  std::vector<double> lengths, values;
  std::vector<double> low = {}, high = {};        ///< band; empty: none
  std::vector<std::vector<double>> of_runs = {};  ///< values of each run, if it is their mean

  bool empty() const { return lengths.empty(); }
};
/// Evaluates the last checkpoint of a run at `lengths`, in the syntax of `--lengths`. The band is
/// the 95 % confidence interval over the examples. If `lengths` is empty, evaluates up to 20 of the
/// trained lengths, or returns an empty curve if the run was trained on one length. Throws
/// UsageError, which begins with `option`, if the run can't have a length, and FileError without a
/// checkpoint.
LengthCurve length_curve(const std::string& run, const std::string& lengths,
                         const Registry& registry, const std::string& option = "--lengths");
/// Returns the curve as {option, quantity, trained, lengths, values, low, high, of_runs}; null if
/// it is empty.
Json to_json(const LengthCurve& curve);
/// Parses the result of to_json. Throws Error if it is malformed.
LengthCurve parse_length_curve(const Json& json);

/// Returns the mean of runs' curves at the same lengths, with the 95 % confidence interval of the
/// mean by Student's t as band. Returns a single curve unchanged.
LengthCurve mean_curve(const std::vector<LengthCurve>& runs);

/// Returns about `most` evenly spaced lengths, including the first and the last.
template <class T>
std::vector<T> some_lengths(const std::vector<T>& lengths, std::size_t most) {
  if (lengths.size() <= most) return lengths;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(lengths[i * (lengths.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace tapehead
