#pragma once
// Checks the numbers that students compute by hand, without a compiler.
#include "../exercises.hpp"
#include "../work.hpp"

#include <utility>

namespace tapehead {

/// Names and numbers, as given by a student.
using HandAnswers = std::vector<std::pair<std::string, double>>;

/// Returns the names of the numbers by hand, in order: the holes in the exercise's function
/// by_hand().
std::vector<std::string> names_by_hand(const Exercise& exercise);
/// A student's answers as typed. Some may not be numbers.
struct TypedAnswers {
  HandAnswers numbers;
  std::vector<std::pair<std::string, std::string>> others;  ///< names and texts
};
/// Parses words NAME=NUMBER. Throws UsageError for an unknown name, and if no word has a number.
TypedAnswers parse_answers(const Exercise& exercise, const std::vector<std::string>& words);
/// Reads the numbers in `by_hand()` from the code of an exercise.cpp. Skips values that are neither
/// numbers nor arithmetic on numbers.
HandAnswers answers_in(const Exercise& exercise, const std::string& code);

/// Checks the answers. The result has a part per number; a part without an answer is "not done".
CheckedWork check_by_hand(const Exercise& exercise, std::uint64_t student,
                          const HandAnswers& answers);
/// Does the same for typed answers. An answer that isn't a number is wrong.
CheckedWork check_typed(const Exercise& exercise, std::uint64_t student,
                        const TypedAnswers& answers);

}  // namespace tapehead
