#pragma once
// A thin interface to CLI11, whose headers add four seconds to each file that includes them.
#include "../../core/shape.hpp"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tapehead {

/// A handle on an option that a command owns.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CommandOption& group(const std::string& heading);  ///< sets the heading in the help
  static constexpr const char* not_shown = "rare";   ///< a group that the help omits
  CommandOption& shown_default(const std::string& value);
  CommandOption& value_optional(
      const std::string& value);  ///< default if the option is given without a value
  CommandOption& required();
  CommandOption& comma_separated();  ///< accepts several values, separated by commas
  CommandOption& repeated();         ///< may be given several times, with one value each
  bool given() const;  ///< returns whether the option was given; call it after parsing

 private:
  CLI::Option* option_;
};

/// A handle on a command, a CLI::App. Option names begin with dashes, names of positional arguments
/// don't. `value` is the name of the option's value in the help. The last value given counts.
/// Targets must outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Adds a subcommand. At most one can be given.
  Command add(const std::string& name, const std::string& help) const;
  std::string chosen() const;  ///< name of the given subcommand, or ""

  CommandOption flag(const std::string& name, bool& target, const std::string& help) const;
  /// Adds `--name` and `--no-name`, and the same for the alias if there is one. Calls `take` with
  /// true or false, or with the text that follows `--name`.
  CommandOption boolean(const std::string& name, const std::string& alias,
                        const std::function<void(const std::string&)>& take,
                        const std::string& help) const;
  CommandOption option(const std::string& name, const std::string& value, std::string& target,
                       const std::string& help) const;
  /// Adds an option with an integer or a floating-point value. Parsing throws UsageError for other
  /// text.
  CommandOption option(const std::string& name, Index& target, const std::string& help) const;
  CommandOption option(const std::string& name, double& target, const std::string& help) const;
  /// Adds an option that calls `take` with each value.
  CommandOption option(const std::string& name, const std::string& value,
                       std::function<void(const std::string&)> take, const std::string& help) const;
  /// Adds a required positional argument, or any number of words, positional or of an option.
  CommandOption positional(const std::string& name, std::string& target,
                           const std::string& help) const;
  CommandOption words(const std::string& name, const std::string& value,
                      std::vector<std::string>& target, const std::string& help) const;

  void footer(const std::string& text) const;           ///< text below the options in the help
  void on_run(const std::function<void()>& run) const;  ///< sets the action of the command
  void allow_unknown() const;                           ///< accepts unknown words
  std::vector<std::string> unknown() const;

 private:
  CLI::App* app_;
};

}  // namespace tapehead
