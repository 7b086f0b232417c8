#pragma once
// The file that a student hands in, with a line of JSON per answer. `learn grade` evaluates the
// answers again, and notes if the results in the file differ.
#include "by_hand/hand.hpp"
#include "work.hpp"

#include <optional>

namespace tapehead {

/// Returns the version of this program.
std::string current_version();

/// A line of the record.
struct RecordedAnswer {
  std::string task;      ///< "by hand", "rule", "fault", "puzzle" or "check"
  std::string exercise;  ///< name of the exercise or rule, seed of a fault, or number of a puzzle
  std::uint64_t student = 0;
  Json answers;  ///< numbers or answers by name, formula, LINE KIND or exercise.cpp; null: none
  bool solution = false;                         ///< whether the solution was shown
  bool exam = false;                             ///< whether it was given without feedback
  Index hints = 0;                               ///< number of hints shown so far
  std::optional<Index> passed = {}, parts = {};  ///< number of right parts and of all parts; none
                                                 ///< in an exam
  std::string version = current_version();
};

/// Appends an answer to a file, which is created if it doesn't exist.
void append_record(const std::string& file, const RecordedAnswer& answer);
/// Reads all answers in a file, in order. Throws FileError if a line isn't a record or the file has
/// more than one megabyte.
std::vector<RecordedAnswer> read_records(const std::string& file);
/// Returns whether two answers are to the same task of the same exercise.
bool is_same_task(const RecordedAnswer& a, const RecordedAnswer& b);
/// Returns the number of hints that a file records for a task; 0 if the file doesn't exist.
Index hints_in(const std::string& file, const std::string& task, const std::string& exercise,
               std::uint64_t student);

Json to_json(const HandAnswers& answers);
/// Reads the numbers that a student computed by hand from JSON.
HandAnswers hand_answers(const Json& json);

}  // namespace tapehead
