#pragma once
// What a model says, as it is shown.
#include "../../train/model/generate.hpp"
#include "terminal.hpp"

#include <nlohmann/json.hpp>

namespace tapehead {

std::vector<int> tokens_of(const std::vector<Said>& said);

/// Shows each symbol on standard output as soon as it is there.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}
  void add(int token);

 private:
  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> last_;  // one, or none at first
};

/// Tokens as the task shows them. On a live terminal nothing of it can command the terminal: new
/// lines and tabs alone act.
std::string shown(const Task& task, const std::vector<int>& tokens, const Terminal& terminal);

/// A row for each symbol that was said: how likely it was, and the likeliest ones there, as many as
/// fit; in percent, as the model has them.
std::string probabilities_text(const Task& task, const std::vector<Said>& said,
                               const Terminal& terminal);
/// Each symbol, its probability and the alternatives.
nlohmann::ordered_json to_json(const Task& task, const std::vector<Said>& said);

}  // namespace tapehead
