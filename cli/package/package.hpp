#pragma once
// What a package has besides the command: man pages and completions, made of the same tables as the
// help.
#include "../../train/config/registry.hpp"
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

}  // namespace tapehead
