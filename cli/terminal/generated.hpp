#pragma once
// How generated text is shown.
#include "../../train/model/generate.hpp"
#include "../../train/runs/json.hpp"
#include "terminal.hpp"

namespace tapehead {

std::vector<int> tokens_of(const std::vector<GeneratedToken>& said);

/// Writes each token to standard output as soon as it is generated.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}
  void add(int token);

 private:
  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> last_;  // one, or none at first
};

/// Tokens as the task shows them. On a live terminal control characters become signs, except for
/// new lines and tabs.
std::string shown(const Task& task, const std::vector<int>& tokens, const Terminal& terminal);

/// A row for each generated token: its probability, and the likeliest tokens there, as many as fit.
/// In percent, at temperature 1.
std::string probabilities_text(const Task& task, const std::vector<GeneratedToken>& said,
                               const Terminal& terminal);
/// Each token, its probability and the alternatives.
Json to_json(const Task& task, const std::vector<GeneratedToken>& said);

}  // namespace tapehead
