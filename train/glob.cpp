#include "glob.hpp"

namespace tapehead {
namespace {

/// Whether the set that begins after `[` has c; `pattern` then begins after its `]`. False and
/// unchanged where no `]` follows: then `[` stands for itself.
bool is_in_set(std::string_view& pattern, char c, bool& is_set) {
  std::size_t at = pattern.substr(0, 1) == "!" ? 1 : 0;
  const bool wanted = at == 0;
  const std::size_t end = pattern.find(']', at + 1);  // the first may be a `]` itself
  is_set = end != std::string_view::npos;
  if (!is_set) return false;
  bool found = false;
  for (; at < end; ++at) {
    const bool is_range = at + 2 < end && pattern[at + 1] == '-';
    const char last = pattern[is_range ? at + 2 : at];
    found |= pattern[at] <= c && c <= last;
    if (is_range) at += 2;
  }
  pattern.remove_prefix(end + 1);
  return found == wanted;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    const char first = pattern[0];
    pattern.remove_prefix(1);
    if (first == '*') {
      for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
        if (matches(pattern, name.substr(skipped))) return true;
      return false;
    }
    if (name.empty()) return false;
    bool is_set = false;
    const bool is_in = first == '[' && is_in_set(pattern, name[0], is_set);
    if (is_set ? !is_in : first != '?' && first != name[0]) return false;
    name.remove_prefix(1);
  }
  return name.empty();
}

}  // namespace tapehead
