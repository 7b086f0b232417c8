#pragma once
// Reads what students hand in, and evaluates it again.
#include "../exercises.hpp"
#include "../record.hpp"

#include <optional>

namespace tapehead {

// ---- hand-ins: files and folders

/// All answers to one task, in order; at least one.
using Attempts = std::vector<RecordedAnswer>;

/// What one student handed in: a record, or an exercise folder, which claims no results.
struct HandIn {
  std::string name;  ///< student's name, taken from the file's or folder's name
  std::string path;
  std::string error;        ///< why it can't be read; empty if it can
  std::string digest = {};  ///< SHA-256 of the record or exercise.cpp, shortened
  std::vector<Attempts> tasks = {};
};

/// Reads hand-ins. Each path is a record, an exercise.cpp, an exercise folder, or a folder that
/// contains these for several students, such as ada.jsonl or ada/softmax/. Doesn't follow links.
/// Throws UsageError if a path doesn't exist; other problems are stored in HandIn::error.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths);

struct Student {
  std::uint64_t number = 0;
  std::string name, email = {};
};
using ClassList = std::vector<Student>;
/// Reads a file with a number, a name and optionally an e-mail address per line. Throws UsageError
/// with the number of a malformed line, or for a number that occurs twice.
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

/// The result of one task of one student.
struct Grade {
  std::string name;           ///< student's name
  std::uint64_t student = 0;  ///< student number that determines the expected numbers
  std::string path;           ///< path of the hand-in
  std::string digest = {};
  /// The answer that counts, with the hints and the solution shown before it. Has no task if the
  /// hand-in couldn't be read.
  RecordedAnswer answer = {};
  Index attempts = 0;  ///< number of answers up to the one that counts
  Attempts all = {};   ///< all answers to the task
  CheckedWork work = {};
  std::vector<std::string> notes = {};
  std::string email = {};
};

/// Chooses the answer that counts, and evaluates it: the first of the best answers, so that a right
/// answer stays right. In an exam and in C++, the last answer counts.
void choose_answer(Grade& grade, const Attempts& attempts);

/// Grades all answers in the hand-ins, in order. A class list overrides the student numbers in the
/// hand-ins. Students in the list who handed in nothing come last.
std::vector<Grade> grade(const std::vector<HandIn>& hand_ins, const ClassList& students,
                         const CodeLimits& limits);

/// Returns `6 softmax, by hand`, `rule softmax`, `fault 9` or `puzzle 3`.
std::string task_of(const RecordedAnswer& answer);

// ---- totals per student

/// A task that counts.
struct GradedTask {
  std::string name;  ///< as task_of returns it
  Index parts = 0;
};
struct StudentTotal {
  std::string name, email;
  std::uint64_t number = 0;
  std::vector<std::optional<Index>> passed;  ///< right parts of each task; none if skipped
  Index attempts = 0, hints = 0, solutions = 0;
  std::vector<std::string> notes;

  Index total() const;
};
struct Totals {
  std::vector<GradedTask> tasks;
  std::vector<StudentTotal> students;

  Index parts() const;  ///< of all tasks
  std::vector<std::string> skipped(const StudentTotal& student) const;
};

/// Adds up the grades of each student. `tasks` lists the tasks that count, separated by semicolons;
/// if empty, all tasks in the grades count. Throws UsageError for an unknown task.
Totals add_up(const std::vector<Grade>& grades, const std::string& tasks);

/// Returns a table with a row per student, in columns that Moodle and Canvas import.
std::string csv_of(const Totals& totals);
Json to_json(const Totals& totals);

}  // namespace tapehead
