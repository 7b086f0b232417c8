#pragma once
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tapehead {

// What help, man pages and completions tell of a command.

/// What the commands within a command are: `task`; or `command`, within the program, and where they
/// have tasks in turn.
const char* kind_of_parts(const CLI::App& command);

/// `tapehead train TASK [options]`, for a command that is called by `name`.
std::string usage(const CLI::App& command, const std::string& name);
/// Whether an option was added by Command::boolean.
bool is_boolean(const CLI::Option& option);
/// `--heads N`: its name and what its value is called.
struct OptionText {
  std::string name, value, help;  ///< help ends with the default, if there is one
};
OptionText text_of(const CLI::Option& option);
/// A heading of the help with the options below it; positional arguments have none.
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
/// A command's own options.
std::vector<OptionGroup> groups_of(const CLI::App& command);
/// The options in a command's help: its own, after the options that all commands within it share,
/// such as the options of a sweep.
std::vector<OptionGroup> shown_groups(const CLI::App& command);

/// Help that fits the terminal's width: a description, the usage, and a table for each group.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(int width) : width_(width) {}
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  int width_;
};

}  // namespace tapehead
