#pragma once
// The tokens of a GPT-2 in a folder of the public hub.
#include "../tokens/byte_pairs.hpp"

#include <map>

namespace tapehead {

/// Reads vocab.json and merges.txt, or tokenizer.json; or the merges of the file `given`, if that
/// isn't empty. Throws FileError that names the file, where there is none of these, where it is
/// another kind of tokenizer, or has another number of tokens than `vocabulary`.
BytePairs read_hub_tokens(const std::string& folder, const std::string& given, int vocabulary);

/// The files by which transformers' AutoTokenizer makes these tokens: their names and contents.
/// `context` is the most that the model reads.
std::map<std::string, std::string> hub_token_files(const BytePairs& tokens, int context);

}  // namespace tapehead
