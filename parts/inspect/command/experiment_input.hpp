#pragma once
#include "experiments.hpp"

namespace tapehead {

/// An experiment's example, prepared for the model.
struct ExperimentInput {
  Example example;
  Batch batch;                      // (1, time)
  std::vector<std::string> tokens;  // the names of the tokens in batch.inputs
  std::string note;                 // describes the example in a sentence
};
/// Returns the text of --input, completed by the model if it has no completion, or validation
/// example --example. For tasks without completions, all tokens are predicted. Throws UsageError
/// for unreadable text, or an example that doesn't exist.
ExperimentInput experiment_input(const LoadedRun& run, const InspectArguments& asked,
                                 const Terminal& terminal);

/// Formats the token at a position with its neighbours, as in `4 [1] 7 0`.
std::string in_context(const Task& task, const std::vector<int>& tokens, Index position);
/// Formats the tokens with the largest scores (vocabulary) in descending order, as in `* 7 1`.
std::string top_tokens(const Task& task, const Tensor& scores, std::size_t count = 4);
/// Returns a text column.
Document::Column text_column(const char* name);
/// Returns the decimals that show four digits of the largest number.
int decimals_for(const std::vector<double>& numbers);

/// Returns the single token in an option's text. Throws UsageError for several tokens.
int token_of(const Task& task, const std::string& text, const char* option);

}  // namespace tapehead
