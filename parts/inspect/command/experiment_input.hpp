#pragma once
#include "experiments.hpp"

namespace tapehead {

/// The example that an experiment runs, as the model reads it.
struct ExperimentInput {
  Example example;
  Batch batch;                      // its inputs are (1, time)
  std::vector<std::string> tokens;  // the names of the tokens in batch.inputs
  std::string note;                 // a sentence that describes the example
};
/// Returns the text of --input, which the model completes if it has no completion, or else
/// validation example --example. In tasks without completions, all tokens after the first are
/// predicted. Throws UsageError if the task can't parse the text or the example doesn't exist.
ExperimentInput experiment_input(const LoadedRun& run, const InspectArguments& asked,
                                 const Terminal& terminal);

/// Formats the tokens around a position, with the token there in brackets, as in `4 [1] 7 0`.
std::string in_context(const Task& task, const std::vector<int>& tokens, Index position);
/// Formats the tokens with the largest of these scores (vocabulary) in descending order, as in `* 7
/// 1`.
std::string top_tokens(const Task& task, const Tensor& scores, std::size_t count = 4);
/// Returns a table column for texts.
Document::Column text_column(const char* name);
/// Returns how many decimals show four digits of the largest number.
int decimals_for(const std::vector<double>& numbers);

/// Parses an option's text as a single token. Throws UsageError for any other number of tokens.
int token_of(const Task& task, const std::string& text, const char* option);

}  // namespace tapehead
