#pragma once
// Checks a student's numbers by hand, without a compiler.
#include "../exercises.hpp"
#include "../work.hpp"

#include <utility>

namespace tapehead {

/// A student's numbers by hand, each with its name.
using HandAnswers = std::vector<std::pair<std::string, double>>;

/// Returns the names of an exercise's numbers by hand, in order: each is a todo in `by_hand()`.
std::vector<std::string> names_by_hand(const Exercise& exercise);
/// The answers that a student typed. Some may not be numbers.
struct TypedAnswers {
  HandAnswers numbers;
  std::vector<std::pair<std::string, std::string>> others;  ///< names and texts that aren't numbers
};
/// Parses words NAME=NUMBER. Throws UsageError for an unknown name, or if no word has a number.
TypedAnswers parse_answers(const Exercise& exercise, const std::vector<std::string>& words);
/// Reads the numbers that a student's exercise.cpp assigns in `by_hand()`. Skips values that are
/// neither numbers nor arithmetic on numbers.
HandAnswers answers_in(const Exercise& exercise, const std::string& code);

/// Returns a student's correct numbers, in the order of their names.
std::vector<double> numbers_by_hand(const Exercise& exercise, std::uint64_t student);
/// Checks the answers. The result has one part per number; a number without an answer is "not
/// done". A wrong number that follows from other wrong numbers is a "follow-up", which counts.
CheckedWork check_by_hand(const Exercise& exercise, std::uint64_t student,
                          const HandAnswers& answers);
/// Checks typed answers. An answer that isn't a number is wrong.
CheckedWork check_typed(const Exercise& exercise, std::uint64_t student,
                        const TypedAnswers& answers);

}  // namespace tapehead
