#pragma once
// How generated text is shown.
#include "../../train/files/json.hpp"
#include "../../train/model/generate.hpp"
#include "terminal.hpp"

namespace tapehead {

std::vector<int> tokens_of(const std::vector<GeneratedToken>& said);

/// Text in which control characters are signs, except for newlines and tabs, if the terminal is
/// live.
std::string harmless(const std::string& text, const Terminal& terminal);
/// Tokens as the task shows them, made harmless.
std::string shown(const Task& task, const std::vector<int>& tokens, const Terminal& terminal);

/// A row for each generated token: its probability, and the likeliest tokens there, as many as fit.
/// In percent, at temperature 1.
std::string probabilities_text(const Task& task, const std::vector<GeneratedToken>& said,
                               const Terminal& terminal);
/// Each token, its probability and the alternatives.
Json to_json(const Task& task, const std::vector<GeneratedToken>& said);

/// Writes tokens to standard output as soon as they are generated. Where a token ends within a
/// character, it waits for those that complete it.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}
  void add(int token);
  void end();  ///< writes what still waits

 private:
  void write();

  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> last_, waiting_;  // one that is written, or none at first; those after it
};

}  // namespace tapehead
