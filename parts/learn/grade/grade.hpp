#pragma once
// Reads what students hand in, and evaluates it again.
#include "../exercises.hpp"
#include "../record.hpp"

namespace tapehead {

// ---- hand-ins: files and folders

/// What one student handed in: a record, or an exercise folder, which claims no results.
struct HandIn {
  std::string name;  ///< student's name, taken from the file's or folder's name
  std::string path;
  std::string error;        ///< why it can't be read; empty if it can
  std::string digest = {};  ///< SHA-256 of the record or exercise.cpp, shortened
  /// The last answer to each task, with all hints shown for the task.
  std::vector<RecordedAnswer> answers = {};
};

/// Reads hand-ins. Each path is a record, an exercise.cpp, an exercise folder, or a folder that
/// contains these for several students, such as ada.jsonl or ada/softmax/. Doesn't follow links.
/// Throws UsageError if a path doesn't exist; other problems are stored in HandIn::error.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths);

/// Student numbers and names.
using ClassList = std::vector<std::pair<std::uint64_t, std::string>>;
/// Reads a file with a number and a name per line. Throws UsageError with the number of a malformed
/// line.
ClassList read_class_list(const std::string& file);

// ---- checking C++: each exercise.cpp in its own process

struct CodeLimits {
  Index jobs = 1;         ///< number of checks that run in parallel
  ProgramLimits program;  ///< limits of the program; the compiler may take two minutes more
};

struct HandedInCode {
  const Exercise* exercise;
  std::uint64_t student;
  std::string code;  ///< text of exercise.cpp
};

/// Checks each exercise.cpp in a temporary folder, which it removes. A failure is stored in
/// CheckedWork::error.
std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all, const CodeLimits& limits);

// ---- grades

/// The result of one answer of one student.
struct Grade {
  std::string name;           ///< student's name
  std::uint64_t student = 0;  ///< student number that determines the expected numbers
  std::string path;           ///< path of the hand-in
  std::string digest;
  RecordedAnswer answer;  ///< without a task if the hand-in couldn't be read
  CheckedWork work;
  std::vector<std::string> notes;
};

/// Grades all answers in the hand-ins, in order. A class list overrides the student numbers in the
/// hand-ins. Students in the list who handed in nothing come last.
std::vector<Grade> grade(const std::vector<HandIn>& hand_ins, const ClassList& students,
                         const CodeLimits& limits);

/// Returns `6 softmax, by hand`, `rule softmax` or `fault 9`.
std::string task_of(const Grade& grade);

}  // namespace tapehead
