#pragma once
// The exercises: exercises.md and the folders in exercises/, which the build embeds.
#include "../../train/files/embedded_file.hpp"
#include "work.hpp"

#include <cstdint>

namespace tapehead {

/// The embedded files, such as exercises/05-relu/check.cpp, exercises/exercise.hpp and
/// exercises.md.
extern const EmbeddedFile exercise_files[];

struct Exercise {
  int number = 0;
  std::string name;   ///< such as relu for the folder 05-relu
  std::string title;  ///< heading of its section in exercises.md
};

/// Returns all exercises, ordered by number.
const std::vector<Exercise>& exercises();
/// Finds an exercise by number or name. Throws UsageError with the nearest name if there is none.
const Exercise& find_exercise(const std::string& word);
/// Returns the exercise that follows this one; null after the last.
const Exercise* next_exercise(const Exercise& exercise);

/// Returns the text of a file of the exercise, or of a file that all exercises share, with the
/// student's numbers. exercise.md is the exercise's section of exercises.md without its hints.
std::string exercise_text(const Exercise& exercise, const std::string& file, std::uint64_t student,
                          const std::string& folder);
/// Returns the names of the parts that the exercise's check.cpp checks, in order.
std::vector<std::string> parts_of(const Exercise& exercise);
/// Returns the hints for a part, in order: the paragraphs that begin at `**PART:**` in the
/// exercise's section.
std::vector<std::string> hints_for(const Exercise& exercise, const std::string& part);

/// The state of an exercise folder, stored in its sheet.json.
struct Sheet {
  std::string folder;
  const Exercise* exercise = nullptr;
  std::uint64_t student = 0;
  std::vector<std::string> hinted;  ///< for each hint that was shown, the name of its part
};
/// Writes the files of an exercise into a folder. Throws UsageError, and writes nothing, if the
/// folder isn't empty.
void write_exercise(const Exercise& exercise, const std::string& folder, std::uint64_t student);
/// Reads a folder's sheet.json. Throws UsageError if the folder contains no exercise.
Sheet read_sheet(const std::string& folder);
void write_sheet(const Sheet& sheet);

// ---- checking, which needs a compiler and starts processes

/// Limits on running a student's program.
struct ProgramLimits {
  int seconds = 10;
  Index memory = 0;  ///< megabytes of address space (0 = no limit)
};

/// Builds a folder's exercise.cpp with the embedded check.cpp in the subfolder `build`, and runs
/// it.
CheckedWork check_work(const Sheet& sheet, const ProgramLimits& limits = {});

}  // namespace tapehead
