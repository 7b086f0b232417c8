#pragma once
// What a command of the command line is to the rest of the program. CLI11 parses it; its headers
// cost every file that includes them four seconds, so only a few do.
#include "../../core/shape.hpp"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tapehead {

/// An option as it was added to a command, which owns it.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CommandOption& group(const std::string& heading);  ///< the heading it stands below in the help
  static constexpr const char* not_shown = "rare";   ///< a heading that the help leaves out
  CommandOption& shown_default(const std::string& value);
  CommandOption& value_optional(const std::string& value);  ///< taken if the option has none
  CommandOption& required();
  CommandOption& comma_separated();  ///< one word at a time, which may hold several values
  CommandOption& repeated();         ///< one word at a time, each time that it is given
  bool given() const;                ///< valid once the command line is parsed

 private:
  CLI::Option* option_;
};

/// A command and its options; a handle on a CLI::App, which outlives it. Names of options begin
/// with dashes, names of positional arguments don't; `value` is what the help calls an option's
/// value. The last value given counts. Targets outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Adds a command within this one; the user gives one of them at most.
  Command add(const std::string& name, const std::string& help) const;
  std::string chosen() const;  ///< the name of the one that was given, or ""

  CommandOption flag(const std::string& name, bool& target, const std::string& help) const;
  /// Adds `--name` and `--no-name`. Calls `take` with true or false, or with the text that follows
  /// `--name`.
  CommandOption boolean(const std::string& name,
                        const std::function<void(const std::string&)>& take,
                        const std::string& help) const;
  CommandOption option(const std::string& name, const std::string& value, std::string& target,
                       const std::string& help) const;
  /// A whole number, or any number; parsing throws UsageError for other text.
  CommandOption option(const std::string& name, Index& target, const std::string& help) const;
  CommandOption option(const std::string& name, double& target, const std::string& help) const;
  /// Calls `take` with each value given.
  CommandOption option(const std::string& name, const std::string& value,
                       std::function<void(const std::string&)> take, const std::string& help) const;
  /// A positional argument, which is required; and any number of words, positional or an option's.
  CommandOption positional(const std::string& name, std::string& target,
                           const std::string& help) const;
  CommandOption words(const std::string& name, const std::string& value,
                      std::vector<std::string>& target, const std::string& help) const;

  void footer(const std::string& text) const;           ///< below the options in the help
  void on_run(const std::function<void()>& run) const;  ///< what the command does
  void allow_unknown() const;                           ///< keeps words that no option takes
  std::vector<std::string> unknown() const;

 private:
  CLI::App* app_;
};

}  // namespace tapehead
