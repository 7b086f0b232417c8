#pragma once
// What `tapehead learn` prints, but for checks. `program` is the command as the user would type it.
#include "../../cli/terminal/terminal.hpp"
#include "exercises.hpp"
#include "fault.hpp"

namespace tapehead {

/// The number of a student or a seed. Throws UsageError for one below 0.
std::uint64_t not_negative(const char* option, Index number);
/// All exercises, and what to do first.
std::string course_text(const std::string& program, int width);
/// An exercise as it would be in a folder, and how to get it there.
std::string text_of(const Exercise& exercise, std::uint64_t student, const std::string& program);

std::string kinds_text(int width);
std::string text_of(const FaultyTape& tape, Index seed, const std::string& program, int width);
/// Whether the answer is right; if not, where the first wrong number is.
std::string answer_text(const FaultyTape& tape, const Fault& answer, Index seed,
                        const std::string& program, int width);

}  // namespace tapehead
