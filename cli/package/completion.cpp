#include "../../train/config/options.hpp"
#include "../../train/files/strings.hpp"
#include "../options/help.hpp"
#include "package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

using Words = std::vector<std::string>;

// NAME stands for the program. Without candidates, the shell completes file names.
constexpr const char* bash = R"(_tapehead() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _tapehead NAME
)";
constexpr const char* zsh = R"script(#compdef NAME
_tapehead() {
  local -a found
  found=(${(f)"$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ${#found} )); then compadd -- $found; else _files; fi
}
if [[ ${funcstack[1]} == _tapehead ]]; then _tapehead "$@"; else compdef _tapehead NAME; fi
)script";
constexpr const char* fish = R"(function __tapehead_complete
  set -l before (commandline -opc)
  set -l last (commandline -ct)
  $before[1] complete $before[2..-1] "$last" 2>/dev/null
end
complete -c NAME -n '__tapehead_complete | count >/dev/null' -f -a '(__tapehead_complete)'
)";

/// Returns the run folders in runs/.
Words run_folders() {
  Words runs;
  std::error_code reason;
  for (std::filesystem::directory_iterator at("runs", reason);
       !reason && at != std::filesystem::directory_iterator(); at.increment(reason))
    if (std::error_code none; std::filesystem::exists(at->path() / "config.toml", none))
      runs.push_back(at->path().string());
  return runs;
}

/// Returns candidates for the value of an option.
Words values_of(const CLI::Option& option, const CLI::App& command, const Registry& registry) {
  if (is_boolean(option)) return {"true", "false"};
  const OptionText text = text_of(option);
  if (text.value == "RUN" || text.name == "RUN") return run_folders();
  if (text.name == "NAME" && command.get_name() == "tasks") return names_of(registry.tasks());
  if (text.name == "SHELL") return {"bash", "zsh", "fish"};
  if (text.name == "COMMAND") {
    Words names;
    for (const CLI::App* one : command.get_parent()->get_subcommands({}))
      names.push_back(one->get_name());
    return names;
  }
  if (text.name == "--preset")
    if (const auto entry = find_named(registry.tasks(), command.get_name());
        entry != registry.tasks().end())
      return names_of(entry->presets);
  for (const Option& known : common_options(registry))
    if (option.check_name("--" + known.name) && !known.choices.empty()) return known.choices;
  if (text.value.find('|') == std::string::npos) return {};
  Words words = split(text.value, '|');
  const auto is_placeholder = [](const std::string& word) {  // such as N or STEP
    return any_of(word, [](unsigned char c) { return std::isupper(c) || c == '.'; });
  };
  erase_if(words, is_placeholder);
  return words;
}

const CLI::Option* find(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional() && option->check_name(word)) return option;
  return nullptr;
}

Words candidates(const CLI::App& app, const Words& words, const Registry& registry) {
  const CLI::App* command = &app;
  const CLI::Option* waiting = nullptr;  // an option whose value is expected
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::exchange(waiting, nullptr)) continue;
    if (const CLI::Option* option = find(*command, word)) {
      if (option->get_items_expected_max() > 0) waiting = option;
    } else if (const auto parts = command->get_subcommands({}); !parts.empty()) {
      for (const CLI::App* part : parts)
        if (part->get_name() == word) command = part;
    }
  }
  const bool begins_option = !words.empty() && starts_with(words.back(), "-");
  if (waiting && is_boolean(*waiting) && begins_option) waiting = nullptr;
  if (waiting) return values_of(*waiting, *command, registry);
  Words all;
  if (begins_option) {
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) all.push_back("--" + name);
    return all;
  }
  for (const CLI::App* part : command->get_subcommands({})) all.push_back(part->get_name());
  if (command == &app) all.emplace_back("help");
  for (const CLI::Option* option : command->get_options())
    if (option->get_positional())
      for (std::string& value : values_of(*option, *command, registry))
        all.push_back(std::move(value));
  return all;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, Words words, const Registry& registry) {
  if (words.size() > 1 && words[0] == "help") words.erase(words.begin());
  const std::string begun = words.empty() ? "" : words.back();
  Words all = candidates(app, words, registry);
  const auto is_other = [&](const std::string& word) { return !starts_with(word, begun); };
  erase_if(all, is_other);
  std::sort(all.begin(), all.end());
  return all;
}

std::string completion_script(const std::string& shell, const std::string& program) {
  std::string script = shell == "bash" ? bash : shell == "zsh" ? zsh : shell == "fish" ? fish : "";
  if (script.empty()) refuse_unknown("shell", shell, {"bash", "zsh", "fish"});
  for (std::size_t at; (at = script.find("NAME")) != std::string::npos;)
    script.replace(at, 4, program);
  return script;
}

}  // namespace tapehead
