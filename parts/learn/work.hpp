#pragma once
// The result of checking a student's answers, which consists of parts. This file starts no
// processes.
#include "../../cli/terminal/terminal.hpp"
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct CheckedPart {
  std::string name, state;      ///< right, follow-up, wrong, not done, failed or not run
  std::string where;            ///< place of the first wrong number, such as dx[1, 2]
  std::string given, expected;  ///< as text, because JSON has no NaN
  std::string note;
  std::string mistake = {};  ///< description of a known mistake that gives the same values

  bool counts() const { return state == "right" || state == "follow-up"; }
};

/// The checked parts of a task.
struct CheckedWork {
  std::vector<CheckedPart> parts;  ///< results, one per part of the task
  std::string error;               ///< why the program can't be built or run; empty if it can
  std::string printed;             ///< output of the student's program
  std::string hint;                ///< set only with --hint
  std::string digest;              ///< first sixteen digits of the SHA-256 of exercise.cpp
  Index hints = 0;                 ///< number of hints shown so far

  bool right() const;                ///< whether all parts are right
  Index passed() const;              ///< number of parts that are right or a follow-up
  const CheckedPart* wrong() const;  ///< first part that is neither, or null
};

/// Formats two numbers with six digits, or with as many as show that they differ.
std::pair<std::string, std::string> format_pair(double a, double b);

/// Removes the expected numbers from all parts.
void hide_answers(CheckedWork& work);

/// Returns the next hint for a part. Increments `shown`, the number of this part's hints shown so
/// far.
std::string next_hint(const CheckedWork& work, const std::string& part,
                      const std::vector<std::string>& hints, Index& shown);

/// Formats the heading, a row per part, and a summary. `thing` is the noun for a part; `next` is
/// the advice at the end.
std::string to_text(const std::string& heading, const CheckedWork& work, const char* thing,
                    const std::string& next, const Terminal& terminal);
/// Adds the result to the members of `head`.
Json to_json(Json head, const CheckedWork& work);
/// Parses the parts, the error and the digest from the JSON of a result.
CheckedWork work_from(const Json& json);

}  // namespace tapehead
