#pragma once
// The part of an exercise that is done by hand, checked without a compiler.
#include "../exercises.hpp"
#include "../work.hpp"

#include <utility>

namespace tapehead {

/// Names and numbers, as a student gives them.
using HandAnswers = std::vector<std::pair<std::string, double>>;

/// What the exercise asks for by hand, in its order: the holes of `by_hand()`; none if it asks for
/// no numbers.
std::vector<std::string> names_by_hand(const Exercise& exercise);
/// A student's answers as typed: some may not be numbers.
struct TypedAnswers {
  HandAnswers numbers;
  std::vector<std::pair<std::string, std::string>> others;  ///< names and texts
};
/// From words NAME=NUMBER. Throws UsageError for a name that the exercise doesn't have, and where
/// none of the words has a number.
TypedAnswers parse_answers(const Exercise& exercise, const std::vector<std::string>& words);
/// The numbers that `by_hand()` is filled with, in the code of an exercise.cpp, as far as they are
/// numbers or arithmetic of numbers.
HandAnswers answers_in(const Exercise& exercise, const std::string& code);

/// A part for each number; one without an answer is not done.
CheckedWork check_by_hand(const Exercise& exercise, std::uint64_t student,
                          const HandAnswers& answers);
/// The same; an answer that isn't a number is wrong.
CheckedWork check_typed(const Exercise& exercise, std::uint64_t student,
                        const TypedAnswers& answers);

}  // namespace tapehead
