#pragma once
// What came of checking a student's answers: parts, and what is said of each. No processes here.
#include "../../cli/terminal/terminal.hpp"
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct CheckedPart {
  std::string name, state;      ///< right, wrong, not done, failed, not run
  std::string where;            ///< of the first wrong number: dx[1, 2]
  std::string given, expected;  ///< as text, since they may be NaN
  std::string note;
  std::string mistake = {};  ///< of a rule: the word for a mistake that leads to these values
};

struct CheckedWork {
  std::vector<CheckedPart> parts;  ///< all that is asked for
  std::string error;               ///< why it can't be built or run; empty if it can
  std::string printed;             ///< what the student's program printed
  std::string hint;                ///< where one was asked for
  std::string digest;              ///< of exercise.cpp: the first sixteen digits of its SHA-256
  Index hints = 0;                 ///< shown so far

  bool right() const;                ///< all parts are
  Index passed() const;              ///< so many are
  const CheckedPart* wrong() const;  ///< the first part that isn't right; null if none
};

/// Two numbers with six digits, or as many as tell them apart.
std::pair<std::string, std::string> texts_of(double a, double b);

/// Takes out what should have been given.
void hide_answers(CheckedWork& work);

/// The next of the hints for a part, of which `shown` were shown before; counts it if it is new.
std::string next_hint(const CheckedWork& work, const std::string& part,
                      const std::vector<std::string>& hints, Index& shown);

/// `heading`, a row for each part, called `thing`, and what to do next.
std::string to_text(const std::string& heading, const CheckedWork& work, const char* thing,
                    const std::string& next, const Terminal& terminal);
/// The members of `head`, which say what was checked, then how it went.
Json to_json(Json head, const CheckedWork& work);
/// The other way round: the parts and the error.
CheckedWork work_from(const Json& json);

}  // namespace tapehead
