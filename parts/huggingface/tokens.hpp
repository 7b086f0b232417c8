#pragma once
// The tokens of a GPT-2 in a folder of the public hub.
#include "../../train/data/task.hpp"
#include "../tokens/byte_pairs.hpp"

#include <optional>

namespace tapehead {

struct HubTokens {
  BytePairs tokens;
  std::vector<int> ids;  ///< that they have there, in any order
  int unused = 0;        ///< ids that stand for no text: a token that pads, or none at all
};

/// Reads vocab.json and merges.txt, or tokenizer.json; or the merges of the file `given`, if that
/// isn't empty. Throws FileError that names the file, where there is none of these, where it is
/// another kind of tokenizer, or has another number of tokens than `vocabulary`: fewer may have a
/// text where a token for padding was added, or the number was rounded up to a multiple of 128 at
/// most.
HubTokens read_hub_tokens(const std::string& folder, const std::string& given, int vocabulary);

/// The files by which transformers' AutoTokenizer makes these tokens: their names and contents.
/// `context` is the most that the model reads.
std::map<std::string, std::string> hub_token_files(const BytePairs& tokens, int context);

/// The same for tokens that a task shows as single characters, or as words between spaces; none
/// where it shows them otherwise.
std::map<std::string, std::string> hub_token_files(const Task& task, int context);

/// The options by which the task `text` has these tokens.
TaskOptions text_options(const BytePairs& tokens);
/// The tokens of a task with these options; none if it isn't a text of bytes or their pairs.
std::optional<BytePairs> tokens_of_text(const TaskOptions& options);

}  // namespace tapehead
