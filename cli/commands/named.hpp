#pragma once
#include "../../train/config/registry.hpp"

#include <algorithm>

namespace tapehead {

using Names = std::vector<std::string>;

/// Returns the named entries, or all if `names` is empty. Throws UsageError for an unknown name.
template <class Entries, class Entry = typename Entries::value_type>
std::vector<Entry> named(const char* kind, const Names& names, const Entries& all) {
  Names known;
  for (const Entry& entry : all) known.push_back(entry.name);
  for (const std::string& name : names) require_known(kind, name, known);
  std::vector<Entry> result;
  for (const Entry& entry : all)
    if (names.empty() || std::count(names.begin(), names.end(), entry.name) > 0)
      result.push_back(entry);
  return result;
}

}  // namespace tapehead
