#pragma once
#include "../../core/containers.hpp"

namespace tapehead {

/// Returns the word of `known` nearest to a mistyped one, or the one that continues it: `reverse`
/// for `rev`; empty if there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
/// Throws UsageError: `unknown task 'coppy'; did you mean 'copy'?`. Lists all known words if none
/// is near.
[[noreturn]] void refuse_unknown(const std::string& what, const std::string& word,
                                 const std::vector<std::string>& known);
/// Throws as refuse_unknown does, unless `known` contains the word.
void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known);
/// Returns the entry with this name. Throws as refuse_unknown does if there is none.
template <class Entries>
const auto& require_named(const std::string& what, const std::string& name,
                          const Entries& entries) {
  const auto found = find_named(entries, name);
  if (found == std::end(entries)) refuse_unknown(what, name, names_of(entries));
  return *found;
}

/// Returns `a, b or c`.
std::string alternatives(const std::vector<std::string>& words);

}  // namespace tapehead
