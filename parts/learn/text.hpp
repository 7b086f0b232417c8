#pragma once
// What `tapehead learn` prints, but for checks. `program` is the command as the user would type it.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/files/json.hpp"
#include "exercises.hpp"
#include "fault.hpp"

namespace tapehead {

/// The number of a student or a seed. Throws UsageError for one below 0.
std::uint64_t not_negative(const char* option, Index number);
/// All exercises, and what to do first.
std::string course_text(const std::string& program, int width);
Json course_json();
/// An exercise as it would be in a folder, how to get it there, and how to answer without one.
std::string text_of(const Exercise& exercise, std::uint64_t student, const std::string& program);
Json task_json(const Exercise& exercise, std::uint64_t student);
/// What to do when an exercise is solved, or its part by hand.
std::string next_after(const Exercise& exercise, const std::string& program);
std::string next_after_hand(const Exercise& exercise, const std::string& program);

std::string kinds_text(int width);
Json kinds_json();
/// The seed of a fault, and the student who gets it.
struct FaultNumber {
  Index seed = 0, student = 0;

  FaultyTape tape() const;
  /// `learn fault --seed 9 --student 17`; student 0 isn't named.
  std::string command(const std::string& program) const;
};
std::string text_of(const FaultyTape& tape, const FaultNumber& number, const std::string& program,
                    int width);
Json to_json(const FaultyTape& tape, const FaultNumber& number);
/// Whether the answer is right; if not, where the first wrong number is, unless that is hidden.
std::string answer_text(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                        bool hidden, const std::string& program, int width);
Json answer_json(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                 bool hidden);

}  // namespace tapehead
