#pragma once
// The expected numbers by hand, as the exercises' check.cpp computes them. The build compiles each
// check.cpp with its unsolved exercise.cpp, in which each todo is a numbered hole.
#include <cstdint>
#include <string>
#include <vector>

namespace tapehead {

/// The part "by hand" of an exercise's check.
struct HandCheck {
  const char* folder;  ///< name of the exercise's folder, such as 06-softmax
  /// Returns the student's expected numbers, one for each todo in `by_hand()`, in order.
  std::vector<double> (*expected)(std::uint64_t student);
  /// Returns, for each number, the value that follows from the student's other answers, or NaN.
  /// `answers` has a number for each todo.
  std::vector<double> (*follows)(std::uint64_t student, const std::vector<double>& answers);
};
/// The parts "by hand" of all exercises, ordered by number. A null folder ends the table.
extern const HandCheck hand_checks[];

/// The result for one number: right, wrong or not done (NaN). The tolerance is in exercise.hpp.
struct HandVerdict {
  std::string state, note;
};
/// Compares a number with the expected one.
HandVerdict check_number(double given, double expected);

}  // namespace tapehead
