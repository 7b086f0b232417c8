#pragma once
// The words that byte-level BPE works within: no token has bytes of two of them.
#include <functional>
#include <string>
#include <string_view>

namespace tapehead {

/// Calls `f` with each word of a text, which must be UTF-8, by GPT-2's pattern: a contraction such
/// as `'ll`; letters, digits or other signs, each with the space before them, if there is one; or
/// spaces. Together the words are the text.
void each_word(std::string_view text, const std::function<void(std::string_view)>& f);

}  // namespace tapehead
