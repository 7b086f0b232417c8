#pragma once
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tapehead {

// Descriptions of commands for help, man pages and completions.

/// Returns the word for the subcommands of a command: `task` or `command`.
const char* subcommand_kind(const CLI::App& command);

/// Returns `tapehead train TASK [options]` for a command that is called by `name`.
std::string usage(const CLI::App& command, const std::string& name);
/// Returns whether an option was added by Command::boolean.
bool is_boolean(const CLI::Option& option);
/// The name of an option, the name of its value, and its help: `--heads`, `N`.
struct OptionText {
  std::string name, value, help;  ///< `help` ends with the default, if there is one
};
OptionText text_of(const CLI::Option& option);
/// A heading of the help and its options; positional arguments have an empty heading.
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
/// Returns a command's own options.
std::vector<OptionGroup> groups_of(const CLI::App& command);
/// Returns the options in a command's help: those that all subcommands share, such as the options
/// of a sweep, then its own.
std::vector<OptionGroup> shown_groups(const CLI::App& command);

/// A heading of the general help, a command line as an example, and the commands below it.
struct CommandGroup {
  std::string heading, example;
  std::vector<const CLI::App*> commands;
};
/// The commands within a command, by the headings that CommandEntry::group gives.
std::vector<CommandGroup> command_groups(const CLI::App& app);

/// Formats help for the terminal's width: description, usage, and a table for each group.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(int width) : width_(width) {}
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  int width_;
};

}  // namespace tapehead
