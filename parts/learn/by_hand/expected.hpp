#pragma once
// The expected numbers of the parts "by hand", computed by the exercises' check.cpp. The build
// compiles each with its exercise.cpp, in which every `todo` is a numbered hole.
#include <cstdint>
#include <string>
#include <vector>

namespace tapehead {

/// The part "by hand" of one exercise.
struct HandCheck {
  const char* folder;  ///< 06-softmax
  /// Returns the expected number of each hole in the exercise's function by_hand(), in order.
  std::vector<double> (*expected)(std::uint64_t student);
};
/// Checks of all exercises, ordered by number. A null folder ends the table.
extern const HandCheck hand_checks[];

/// The verdict on a number: right, wrong, or not done (NaN), with the tolerance of exercise.hpp.
struct HandVerdict {
  std::string state, note;
};
/// Compares a number with the expected one.
HandVerdict check_number(double given, double expected);

}  // namespace tapehead
