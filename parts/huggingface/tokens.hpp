#pragma once
// Reads and writes the tokenizer of a GPT-2 model in a Hugging Face folder.
#include "../../train/data/task.hpp"
#include "../tokens/byte_pairs.hpp"

#include <optional>

namespace tapehead {

/// A tokenizer and the ids that the model uses for its tokens.
struct HubTokens {
  BytePairs tokens;
  std::vector<int> ids;  ///< the id of each token, in any order
  int unused = 0;        ///< number of ids without text, such as padding tokens
};

/// Reads vocab.json and merges.txt, or tokenizer.json. If `given` isn't empty, reads the merges
/// from that file instead. Throws FileError, naming the file, if these files are missing, if the
/// tokenizer isn't GPT-2's, or if the number of tokens doesn't match `vocabulary`. There may be
/// fewer tokens: models pad their vocabulary with a padding token or up to a multiple of 128.
HubTokens read_hub_tokens(const std::string& folder, const std::string& given, int vocabulary);

/// Returns the names and contents of the files from which transformers' AutoTokenizer builds this
/// tokenizer. `context` is the model's maximum sequence length.
std::map<std::string, std::string> hub_token_files(const BytePairs& tokens, int context);

/// Returns the same files for a task that shows its tokens as single characters or as words between
/// spaces; returns none for other tasks.
std::map<std::string, std::string> hub_token_files(const Task& task, int context);

/// Returns the options that give the task `text` these tokens.
TaskOptions text_options(const BytePairs& tokens);
/// Returns the tokens of a task with these options, or nullopt if it doesn't read bytes or BPE.
std::optional<BytePairs> tokens_of_text(const TaskOptions& options);

}  // namespace tapehead
