#pragma once
// Texts of `tapehead learn`, except for the results of checks. `program` is the command as the user
// typed it.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/files/json.hpp"
#include "exercises.hpp"
#include "fault.hpp"

namespace tapehead {

/// Converts the value of --student or --seed. Throws UsageError if it is negative.
std::uint64_t checked_number(const char* option, Index number);
/// Returns the list of exercises, and the command that shows the first one.
std::string course_text(const std::string& program, int width);
Json course_json();
/// Returns the text of an exercise, and the commands that write it into a folder or check its
/// numbers.
std::string text_of(const Exercise& exercise, std::uint64_t student, const std::string& program);
Json task_json(const Exercise& exercise, std::uint64_t student);
/// Return the text that names the next command after an exercise, or after its numbers by hand.
std::string next_step(const Exercise& exercise, const std::string& program);
std::string next_step_by_hand(const Exercise& exercise, const std::string& program);

/// Return a student's correct numbers by hand, as lines `y0 = 0.333333`.
std::string solution_text(const Exercise& exercise, std::uint64_t student);
Json solution_json(const Exercise& exercise, std::uint64_t student);

std::string kinds_text(int width);
Json kinds_json();
/// The seed and student number that determine a fault.
struct FaultNumber {
  Index seed = 0, student = 0;

  FaultyTape tape() const;
  /// Returns `PROGRAM learn fault --seed 9 --student 17`, without --student if it is 0.
  std::string command(const std::string& program) const;
};
std::string text_of(const FaultyTape& tape, const FaultNumber& number, const std::string& program,
                    int width);
Json to_json(const FaultyTape& tape, const FaultNumber& number);
/// Return the line and the kind of the fault, and its first wrong number.
std::string solution_text(const FaultyTape& tape);
Json solution_json(const FaultyTape& tape, const FaultNumber& number);
/// Says whether the answer is right. If it's wrong and not `hidden`, adds the first wrong number.
std::string answer_text(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                        bool hidden, const std::string& program, int width);
Json answer_json(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                 bool hidden);

}  // namespace tapehead
