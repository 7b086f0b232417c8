#pragma once
#include "../../train/trainer.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// How many of the tokens are a question: all of them, or those before an answer that a gpt reads
/// as well. Throws ValueError if there is none.
Index question_in(const std::vector<int>& tokens, const LoadedRun& run);
/// The example that a command shows: the text that an option gives or, where that is null, a
/// held-out example; of a text, a short piece. The model answers a question that has no answer.
/// Throws UsageError, naming the option, where the model can't read that much.
Example example_seen(const LoadedRun& run, const std::string* text, Index number,
                     const char* option, const Terminal& terminal);

}  // namespace tapehead
