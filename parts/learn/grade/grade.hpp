#pragma once
// Grades hand-ins by evaluating their answers again.
#include "../exercises.hpp"
#include "../record.hpp"

namespace tapehead {

// ---- hand-ins: files and folders

/// The hand-in of one student: a record, or an exercise folder, which is read as a record without
/// results.
struct HandIn {
  std::string name;  ///< student's name, from the file or its folder
  std::string path;
  std::string error;                         ///< why it can't be read, else empty
  std::string digest = {};                   ///< digest of the record or of exercise.cpp
  std::vector<RecordedAnswer> answers = {};  ///< last answer to each task, with all hints shown
};

/// Reads hand-ins. Each path is a record, an exercise.cpp, an exercise folder, or a folder with
/// these for each student, such as ada.jsonl or ada/softmax/. Doesn't follow links. Throws
/// UsageError for a missing path; other problems become HandIn::error.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths);

/// Student numbers and names.
using ClassList = std::vector<std::pair<std::uint64_t, std::string>>;
/// Reads a file with a number and a name per line. Throws UsageError that names the line.
ClassList read_class_list(const std::string& file);

// ---- checking C++: each exercise.cpp in its own process

struct CodeLimits {
  Index jobs = 1;         ///< checked in parallel
  ProgramLimits program;  ///< the compiler has two minutes in addition
};

struct HandedInCode {
  const Exercise* exercise;
  std::uint64_t student;
  std::string code;  ///< text of exercise.cpp
};

/// Checks each file in a temporary folder, which is removed. A failure becomes CheckedWork::error.
std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all, const CodeLimits& limits);

// ---- grades

/// One answer of one student.
struct Grade {
  std::string name;           ///< student's name
  std::uint64_t student = 0;  ///< student number it was checked with
  std::string path;           ///< path of the hand-in
  std::string digest;
  RecordedAnswer answer;  ///< without a task if nothing could be read
  CheckedWork work;
  std::vector<std::string> notes;
};

/// Grades hand-ins, in order. A class list overrides the student numbers in the hand-ins, and adds
/// students without a hand-in at the end.
std::vector<Grade> grade(const std::vector<HandIn>& hand_ins, const ClassList& students,
                         const CodeLimits& limits);

/// Returns `6 softmax, by hand`, `rule softmax` or `fault 9`.
std::string task_of(const Grade& grade);

}  // namespace tapehead
