#pragma once
// The result of checking a student's answers: parts, each with a state. Starts no processes.
#include "../../cli/terminal/terminal.hpp"
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct CheckedPart {
  std::string name, state;      ///< right, wrong, not done, failed, not run
  std::string where;            ///< place of the first wrong number: dx[1, 2]
  std::string given, expected;  ///< as text, because they may be NaN
  std::string note;
  std::string mistake = {};  ///< description of a known mistake that gives the same values
};

/// The checked parts of a task.
struct CheckedWork {
  std::vector<CheckedPart> parts;  ///< all parts of the task
  std::string error;               ///< why the work can't be built or run, else empty
  std::string printed;             ///< output of the student's program
  std::string hint;                ///< only with --hint
  std::string digest;              ///< first sixteen digits of the SHA-256 of exercise.cpp
  Index hints = 0;                 ///< number of hints shown so far

  bool right() const;                ///< whether all parts are right
  Index passed() const;              ///< number of right parts
  const CheckedPart* wrong() const;  ///< first part that isn't right, or null
};

/// Formats two numbers with six digits, or with more if they look equal otherwise.
std::pair<std::string, std::string> format_pair(double a, double b);

/// Removes the expected numbers.
void hide_answers(CheckedWork& work);

/// Returns the next hint for a part and increments `shown`, the number of hints shown before.
std::string next_hint(const CheckedWork& work, const std::string& part,
                      const std::vector<std::string>& hints, Index& shown);

/// Formats the heading, a row per part, and a summary. `thing` names a part; `next` is what to do.
std::string to_text(const std::string& heading, const CheckedWork& work, const char* thing,
                    const std::string& next, const Terminal& terminal);
/// Returns the members of `head`, followed by the result.
Json to_json(Json head, const CheckedWork& work);
/// Reads the parts, the error and the digest from such a document.
CheckedWork work_from(const Json& json);

}  // namespace tapehead
