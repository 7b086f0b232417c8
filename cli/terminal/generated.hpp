#pragma once
// How generated text is shown.
#include "../../train/model/generate.hpp"
#include "../../train/runs/json.hpp"
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

}  // namespace tapehead
