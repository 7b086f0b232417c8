#pragma once
// Display of generated text.
#include "../../train/files/json.hpp"
#include "../../train/model/generate.hpp"
#include "terminal.hpp"

namespace tapehead {

std::vector<int> tokens_of(const std::vector<GeneratedToken>& said);

/// Returns text for a live terminal, with control characters other than newlines and tabs as
/// symbols.
std::string harmless(const std::string& text, const Terminal& terminal);
/// Returns tokens as the task shows them, without control characters.
std::string shown(const Task& task, const std::vector<int>& tokens, const Terminal& terminal);

/// Formats a row for each generated token: its probability and the likeliest tokens, as many as
/// fit, in percent at temperature 1.
std::string probabilities_text(const Task& task, const std::vector<GeneratedToken>& said,
                               const Terminal& terminal);
/// Returns each token, its probability and the alternatives.
Json to_json(const Task& task, const std::vector<GeneratedToken>& said);

/// Writes tokens to standard output as they are generated. A token that ends within a character is
/// held back until the character is complete.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}
  void add(int token);
  void end();  ///< writes the tokens held back

 private:
  void write();

  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> last_, waiting_;  // the last written token, if any; tokens held back
};

}  // namespace tapehead
