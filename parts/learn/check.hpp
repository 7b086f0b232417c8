#pragma once
// Builds a student's work and says what is right.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/runs/json.hpp"
#include "exercises.hpp"

namespace tapehead {

struct CheckedPart {
  std::string name, state;      ///< right, wrong, not done, failed, not run
  std::string where;            ///< of the first wrong number: dx[1, 2]
  std::string given, expected;  ///< as text, since they may be NaN
  std::string note;
};

struct CheckedWork {
  std::vector<CheckedPart> parts;  ///< all that the exercise has
  std::string error;               ///< why it can't be built or run; empty if it can
  std::string printed;             ///< what the student's program printed
  std::string hint;                ///< where one was asked for
  std::string digest;              ///< of exercise.cpp: the first sixteen digits of its SHA-256

  bool right() const;                ///< all parts are
  Index passed() const;              ///< so many are
  const CheckedPart* wrong() const;  ///< the first part that isn't right; null if none
};

/// Builds exercise.cpp in the folder's `build`, with a check.cpp of the command's own, and runs it.
CheckedWork check_work(const Sheet& sheet);
/// Takes out what should have been given.
void hide_answers(CheckedWork& work);

/// The next hint for the first part that isn't right, which is noted in the sheet.
std::string next_hint(Sheet& sheet, const CheckedWork& work);

std::string to_text(const Sheet& sheet, const CheckedWork& work, const std::string& program,
                    const Terminal& terminal);
Json to_json(const Sheet& sheet, const CheckedWork& work);

}  // namespace tapehead
