#pragma once
// What students hand in: a file with a line of JSON for each answer. What it claims counts for
// nothing, since `learn grade` evaluates the answers anew.
#include "by_hand/hand.hpp"
#include "work.hpp"

#include <optional>

namespace tapehead {

std::string own_version();

struct RecordedAnswer {
  std::string task;      ///< by hand, rule, fault, check
  std::string exercise;  ///< the exercise's or the rule's name; the fault's seed
  std::uint64_t student = 0;
  Json answers;           ///< numbers by name; a formula; LINE KIND; exercise.cpp. Null: none
  bool solution = false;  ///< was shown
  Index hints = 0;        ///< were shown so far
  std::optional<Index> passed = {}, parts = {};  ///< what the command found when it was answered
  std::string version = own_version();
};

/// Appends it to the file, which is created if there is none.
void append_record(const std::string& file, const RecordedAnswer& answer);
/// All answers of a file, in their order. Throws FileError for one that isn't a record, or is
/// larger than a megabyte.
std::vector<RecordedAnswer> read_records(const std::string& file);
/// How many hints were shown for it before; 0 where there is no such file.
Index hints_in(const std::string& file, const std::string& task, const std::string& exercise,
               std::uint64_t student);

Json to_json(const HandAnswers& answers);
/// Those of a record.
HandAnswers hand_answers(const Json& json);

}  // namespace tapehead
