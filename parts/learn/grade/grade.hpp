#pragma once
// What was handed in, evaluated anew.
#include "code.hpp"
#include "hand_in.hpp"

namespace tapehead {

/// One answer of one student.
struct Grade {
  std::string name;           ///< of the student
  std::uint64_t student = 0;  ///< whose numbers it was held against
  std::string path;           ///< of the hand-in
  std::string digest;
  RecordedAnswer answer;  ///< no task where nothing could be read
  CheckedWork work;
  std::vector<std::string> notes;
};

/// In the order of the hand-ins. With a class list each name's own number is taken, whatever the
/// hand-in says, and who handed in nothing comes last.
std::vector<Grade> grade(const std::vector<HandIn>& hand_ins, const ClassList& students,
                         const CodeLimits& limits);

/// `6 softmax, by hand`, `rule softmax`, `fault 9`.
std::string task_of(const Grade& grade);

}  // namespace tapehead
