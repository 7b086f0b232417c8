#pragma once
// What each number by hand should be, by the exercises' own check.cpp: the build compiles each
// with its exercise.cpp, whose holes are numbered.
#include <cstdint>
#include <string>
#include <vector>

namespace tapehead {

/// The part `by hand` of one exercise.
struct HandCheck {
  const char* folder;  ///< 06-softmax
  /// What each hole of `by_hand()` should be, for a student, in the order of the holes.
  std::vector<double> (*expected)(std::uint64_t student);
};
/// Of all exercises in the order of their numbers; a null folder ends them.
extern const HandCheck hand_checks[];

/// How a number by hand is: right, wrong, or not done where it is NaN; by the rule of exercise.hpp.
struct HandVerdict {
  std::string state, note;
};
HandVerdict judge_by_hand(double given, double expected);

}  // namespace tapehead
