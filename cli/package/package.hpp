#pragma once
// Man pages and completions, made from the same tables as the help, and version details.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../commands/commands.hpp"

namespace tapehead {

/// Returns the man page of `app` or of one of its commands, in the macros of man(7).
std::string man_page(const CLI::App& app, const CLI::App& command);

/// Returns the options of all commands as Markdown tables, for docs/guides/options.md.
std::string options_markdown(const CLI::App& app, const Registry& registry);

/// Returns candidates for the last of the words after the program's name: commands, options, values
/// of an option, tasks, runs in runs/. Empty where a file name is expected.
std::vector<std::string> completions(const CLI::App& app, std::vector<std::string> words,
                                     const Registry& registry);
/// Returns a completion script for `bash`, `zsh` or `fish` that calls `program complete WORDS...`.
/// Throws UsageError for another shell.
std::string completion_script(const std::string& shell, const std::string& program);

/// Adds the commands `man` and `completion`, which describe all commands of `root`.
void add_package_commands(const Command& app, const CLI::App& root, Session& session);

/// The optional parts of a build, and the missing ones with their requirements. The program
/// registers it with Registry::extend.
struct PartsOfBuild {
  struct LeftOut {
    std::string name, needs;
  };
  std::vector<std::string> built;
  std::vector<LeftOut> left_out;
};

/// Describes the build, this machine, and the folder runs/, as `--version --verbose` prints it.
Json version_details(const Registry& registry);
/// Returns the details as a table of `width` columns, without empty members.
std::string version_text(const Json& details, int width);

}  // namespace tapehead
