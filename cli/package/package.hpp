#pragma once
// Man pages and completions, made from the same tables as the help, and the details of the version.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../commands/commands.hpp"

namespace tapehead {

/// The man page of `app` itself, or of one of its commands, in the macros of man(7).
std::string man_page(const CLI::App& app, const CLI::App& command);

/// What may stand for the last of a command line's words, which are those after the program's name:
/// commands, options, choices of an option, tasks, runs below runs/. Nothing where a file may.
std::vector<std::string> completions(const CLI::App& app, std::vector<std::string> words,
                                     const Registry& registry);
/// A script for `bash`, `zsh` or `fish` that asks `program complete WORDS...` for those. Throws
/// UsageError for another shell.
std::string completion_script(const std::string& shell, const std::string& program);

/// The commands `man` and `completion`, which tell of all commands of `root`.
void add_package_commands(const Command& app, const CLI::App& root, Session& session);

/// The parts of a build, and the parts that it lacks, with what they need. The program registers it
/// with Registry::extend.
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
