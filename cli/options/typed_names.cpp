#include "typed_names.hpp"
#include "../../train/config/options.hpp"

namespace tapehead {
namespace {

bool is_in_name(char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Replaces `name` where it isn't a part of a longer name.
void replace_name(std::string& text, const std::string& name, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool is_whole = end == text.size() || !is_in_name(text[end]);
    if (is_whole) text.replace(at, name.size(), by);
    at += is_whole ? by.size() : name.size();
  }
}

}  // namespace

std::string with_typed_names(std::string text, const std::vector<std::string>& typed,
                             const Registry& registry) {
  std::vector<Option> options = common_options(registry);
  for (const TaskEntry& task : registry.tasks()) append(options, task.options);
  for (const Option& option : options)
    if (!option.alias.empty() && contains(typed, option.alias) && !contains(typed, option.name))
      replace_name(text, "--" + option.name, "--" + option.alias);
  return text;
}

}  // namespace tapehead
