#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

using Names = std::vector<std::string>;

/// Returns the named entries, or all if `names` is empty. Throws UsageError for an unknown name.
template <class Entries, class Entry = typename Entries::value_type>
std::vector<Entry> named(const char* kind, const Names& names, const Entries& all) {
  for (const std::string& name : names) require_named(kind, name, all);
  std::vector<Entry> result;
  for (const Entry& entry : all)
    if (names.empty() || contains(names, entry.name)) result.push_back(entry);
  return result;
}

}  // namespace tapehead
