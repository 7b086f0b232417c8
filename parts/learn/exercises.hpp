#pragma once
// The exercises of the course, as the build embeds them from the folders in exercises/.
#include "../project/project.hpp"
#include "work.hpp"

#include <cstdint>

namespace tapehead {

/// 05-relu/exercise.md; exercise.hpp for one that all exercises share. A null path ends them.
extern const EmbeddedFile exercise_files[];

struct Exercise {
  int number = 0;
  std::string name;   ///< relu, of the folder 05-relu
  std::string title;  ///< the heading of its text
};

/// In the order of their numbers.
const std::vector<Exercise>& exercises();
/// By its number or name. Throws UsageError with the nearest.
const Exercise& find_exercise(const std::string& word);
/// The exercise after it, or null.
const Exercise* next_exercise(const Exercise& exercise);

/// A file of the exercise, or one that all share, with the numbers of a student written out.
std::string exercise_text(const Exercise& exercise, const std::string& file, std::uint64_t student,
                          const std::string& folder);
/// The parts that its check has, in their order.
std::vector<std::string> parts_of(const Exercise& exercise);
/// The hints for a part, in their order: paragraphs of hints.md below the part's heading.
std::vector<std::string> hints_for(const Exercise& exercise, const std::string& part);

/// What the folder of an exercise remembers, in a file sheet.json.
struct Sheet {
  std::string folder;
  const Exercise* exercise = nullptr;
  std::uint64_t student = 0;
  std::vector<std::string> hinted;  ///< the part of each hint that was shown
};
/// Writes an exercise into a folder. Throws UsageError, and writes nothing, if it has files in it.
void write_exercise(const Exercise& exercise, const std::string& folder, std::uint64_t student);
/// Throws UsageError for a folder without an exercise.
Sheet read_sheet(const std::string& folder);
void write_sheet(const Sheet& sheet);

// ---- checking, which takes a compiler and processes

/// What a student's program may take.
struct ProgramLimits {
  int seconds = 10;
  Index memory = 0;  ///< in megabytes of address space; 0: any
};

/// Builds exercise.cpp in the folder's `build`, with a check.cpp of the command's own, and runs it.
CheckedWork check_work(const Sheet& sheet, const ProgramLimits& limits = {});

}  // namespace tapehead
