#pragma once
#include "experiments.hpp"

namespace tapehead {

/// The example that an experiment reads, and what a model of its kind makes of it.
struct ExperimentInput {
  Example example;
  Batch batch;                      // (1, time)
  std::vector<std::string> tokens;  // the names of those in batch.inputs
  std::string note;                 // what it is, as a sentence
};
/// The text of --input, with the model's own answer if it has none, or held-out example --example.
/// Of a text without answers, all tokens are to be predicted. Throws UsageError for what the model
/// can't read, or an example that isn't there.
ExperimentInput experiment_input(const LoadedRun& run, const InspectArguments& asked,
                                 const Terminal& terminal);

/// The token at a position with those around it, as in `4 [1] 7 0`.
std::string in_context(const Task& task, const std::vector<int>& tokens, Index position);
/// The tokens with the largest of scores, (vocabulary), the largest first, as in `* 7 1`.
std::string top_tokens(const Task& task, const Tensor& scores, std::size_t count = 4);
/// A column of texts.
Document::Column text_column(const char* name);
/// As many decimals as show four digits of the largest of these numbers.
int decimals_for(const std::vector<double>& numbers);

/// The one token of an option's text. Throws UsageError.
int token_of(const Task& task, const std::string& text, const char* option);

}  // namespace tapehead
