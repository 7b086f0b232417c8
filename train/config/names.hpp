#pragma once
#include <string>
#include <vector>

namespace tapehead {

/// The nearest of `known` to a mistyped word, or an empty text if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
/// Throws UsageError: `unknown task 'coppy'; did you mean 'copy'?`, or lists all that is known.
[[noreturn]] void refuse_unknown(const std::string& what, const std::string& word,
                                 const std::vector<std::string>& known);
/// The same, unless the word is one of those known.
void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known);

/// `a, b or c`.
std::string alternatives(const std::vector<std::string>& words);

}  // namespace tapehead
