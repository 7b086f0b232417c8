#pragma once
#include "../../train/trainer.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// Returns the number of tokens that form the prompt: all, or those before an answer that a gpt
/// reads as well. Throws ValueError if there is none.
Index prompt_length(const std::vector<int>& tokens, const LoadedRun& run);
/// Returns the example that a command shows: the given text or, if null, a validation example (for
/// a text, a short excerpt). If the prompt has no answer, the model generates one. Throws
/// UsageError that names the option if the input is too long for the model.
Example example_to_show(const LoadedRun& run, const std::string* text, Index number,
                        const char* option, const Terminal& terminal);

}  // namespace tapehead
