#pragma once
// The file that students hand in: a line of JSON per answer. `learn grade` ignores the results in
// it and evaluates the answers again.
#include "by_hand/hand.hpp"
#include "work.hpp"

#include <optional>

namespace tapehead {

/// Returns the version of this program.
std::string current_version();

/// A line of the record.
struct RecordedAnswer {
  std::string task;      ///< "by hand", "rule", "fault" or "check"
  std::string exercise;  ///< name of the exercise or rule, or seed of the fault
  std::uint64_t student = 0;
  Json answers;  ///< numbers by name, a formula, LINE KIND or exercise.cpp; null without an answer
  bool solution = false;                         ///< whether it was shown
  Index hints = 0;                               ///< number shown so far
  std::optional<Index> passed = {}, parts = {};  ///< result at the time of the answer
  std::string version = current_version();
};

/// Appends an answer to a file, which is created if needed.
void append_record(const std::string& file, const RecordedAnswer& answer);
/// Reads all answers of a file, in order. Throws FileError for a line that isn't a record, and for
/// files above one megabyte.
std::vector<RecordedAnswer> read_records(const std::string& file);
/// Returns the number of hints shown for a task so far; 0 if the file doesn't exist.
Index hints_in(const std::string& file, const std::string& task, const std::string& exercise,
               std::uint64_t student);

Json to_json(const HandAnswers& answers);
/// Reads the numbers by hand from a record.
HandAnswers hand_answers(const Json& json);

}  // namespace tapehead
