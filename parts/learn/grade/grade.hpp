#pragma once
// What was handed in, evaluated again.
#include "../exercises.hpp"
#include "../record.hpp"

namespace tapehead {

// ---- what students handed in, in files and folders

/// A record, or an exercise in a folder, which is read as a record that claims nothing.
struct HandIn {
  std::string name;  ///< of the student: that of the file, or of the folder it lies in
  std::string path;
  std::string error;        ///< why it can't be read; empty if it can
  std::string digest = {};  ///< of the record, or of exercise.cpp
  std::vector<RecordedAnswer> answers =
      {};  ///< to each task the last, with all hints that were shown
};

/// Each path is a record, an exercise.cpp, the folder of an exercise, or a folder that has the
/// like for each student: ada.jsonl, or ada/softmax/. Links aren't followed. Throws UsageError for
/// a path that isn't there; whatever else is wrong stands in the hand-in.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths);

/// Numbers and names.
using ClassList = std::vector<std::pair<std::uint64_t, std::string>>;
/// From a file with a number and a name in each line. Throws UsageError that names the line.
ClassList read_class(const std::string& file);

// ---- checking C++: each exercise.cpp in a process of its own

struct CodeLimits {
  Index jobs = 1;         ///< at once
  ProgramLimits program;  ///< the compiler has two minutes besides
};

struct HandedInCode {
  const Exercise* exercise;
  std::uint64_t student;
  std::string code;  ///< of exercise.cpp
};

/// Checks each in a temporary folder, which is removed. Whatever happens to one is its `error`.
std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all, const CodeLimits& limits);

// ---- grades

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
