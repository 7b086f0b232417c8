#pragma once
// The exercises. The build embeds exercises.md and the folders in exercises/.
#include "../project/project.hpp"
#include "work.hpp"

#include <cstdint>

namespace tapehead {

/// Embedded files such as exercises/05-relu/check.cpp, with the shared exercise.hpp and
/// exercises.md. A null path ends the table.
extern const EmbeddedFile exercise_files[];

struct Exercise {
  int number = 0;
  std::string name;   ///< relu for the folder 05-relu
  std::string title;  ///< heading of its section in exercises.md
};

/// Returns all exercises, ordered by number.
const std::vector<Exercise>& exercises();
/// Finds an exercise by number or name. Throws UsageError that suggests the nearest name.
const Exercise& find_exercise(const std::string& word);
/// Returns the exercise after it, or null.
const Exercise* next_exercise(const Exercise& exercise);

/// Returns a file of the exercise, or a shared one, with the student's numbers filled in.
/// exercise.md is the exercise's section of exercises.md, without its hints.
std::string exercise_text(const Exercise& exercise, const std::string& file, std::uint64_t student,
                          const std::string& folder);
/// Returns the names of the parts in its check.cpp, in order.
std::vector<std::string> parts_of(const Exercise& exercise);
/// Returns the hints for a part, in order: the paragraphs from `**part:**` on in its section.
std::vector<std::string> hints_for(const Exercise& exercise, const std::string& part);

/// State of an exercise folder, stored in sheet.json.
struct Sheet {
  std::string folder;
  const Exercise* exercise = nullptr;
  std::uint64_t student = 0;
  std::vector<std::string> hinted;  ///< the part of each hint that was shown
};
/// Writes an exercise into a folder. Throws UsageError, and writes nothing, if the folder isn't
/// empty.
void write_exercise(const Exercise& exercise, const std::string& folder, std::uint64_t student);
/// Reads sheet.json. Throws UsageError for a folder without an exercise.
Sheet read_sheet(const std::string& folder);
void write_sheet(const Sheet& sheet);

// ---- checking, which needs a compiler and starts processes

/// Limits of a student's program.
struct ProgramLimits {
  int seconds = 10;
  Index memory = 0;  ///< megabytes of address space (0 = no limit)
};

/// Builds exercise.cpp in the folder's `build`, with the command's own check.cpp, and runs it.
CheckedWork check_work(const Sheet& sheet, const ProgramLimits& limits = {});

}  // namespace tapehead
