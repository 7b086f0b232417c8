#pragma once
// Reads and writes the tokenizer of a GPT-2 model in a Hugging Face folder.
#include "../../train/data/task.hpp"
#include "../tokens/byte_pairs.hpp"

#include <optional>

namespace tapehead {

/// A tokenizer, and the id of each of its tokens in the model.
struct HubTokens {
  BytePairs tokens;
  std::vector<int> ids;  ///< id in the model by token
  int unused = 0;        ///< number of ids without a token, such as padding
};

/// Reads vocab.json and merges.txt, or tokenizer.json. If `given` isn't empty, reads the merges
/// from that file instead. Throws FileError, which names the file, if these files are missing, if
/// the tokenizer isn't GPT-2's, or if it has more tokens than the model's `vocabulary`, or far
/// fewer: models pad their vocabulary with a padding token or up to a multiple of 128.
HubTokens read_hub_tokens(const std::string& folder, const std::string& given, int vocabulary);

/// Returns, by name, the contents of the files from which transformers' AutoTokenizer creates this
/// tokenizer. `context` is the model's maximum sequence length.
std::map<std::string, std::string> hub_token_files(const BytePairs& tokens, int context);

/// Returns tokenizer files for a task that shows its tokens as single characters or as words with
/// spaces between them; returns no files for other tasks.
std::map<std::string, std::string> hub_token_files(const Task& task, int context);

/// Returns the options of the task `text` that select these tokens.
TaskOptions text_options(const BytePairs& tokens);
/// Returns the tokens of a task with these options; nullopt if its tokens aren't bytes or BPE.
std::optional<BytePairs> tokens_of_text(const TaskOptions& options);

}  // namespace tapehead
