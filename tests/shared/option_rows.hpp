#pragma once
// Options and their effects, for the suites `options` and `command_options`, which test all
// options. Tests of optional modules add theirs.
#include "../../train/config/registry.hpp"

#include <map>

namespace tapehead {

/// An option of a command other than `train`.
struct CommandRow {
  static constexpr const char* unchanged = "unchanged";
  std::string command;  ///< the command with its arguments
  std::string option, value;
  std::string shows;  ///< text printed only with the option; empty: any change of the output;
                      ///< `unchanged`: no change
  std::string wrong, error;     ///< empty: every value is valid, or there is no value
  std::string writes = {};      ///< a folder that the command creates
  int without = 0, status = 0;  ///< exit status without and with the option
};

/// What another value changes: the weights, the recorded figures, the run folder, or nothing except
/// the record in config.toml.
enum class Changes { weights, metrics, folder, nothing };

/// An option of `train`.
struct TrainRow {
  std::string name, value;
  Changes changes;
  Settings beside;           ///< settings that the option needs to have an effect
  std::string wrong, error;  ///< empty: every value is valid
};

struct OptionRows {
  std::vector<CommandRow> commands;
  std::vector<TrainRow> train;
  // The maximum of each option of `train` that is a count.
  std::map<std::string, std::string> largest;
  // Exceptions and the suites that test them: options, commands, and options of commands, such as
  // `report --serve`.
  std::map<std::string, std::string> elsewhere, commands_elsewhere;
  std::vector<void (*)()> preparations;
};
OptionRows& option_rows();

struct CommandRows {
  /// `prepare` creates the files that the options refer to, in the working folder. See
  /// command_options_test.cpp for files that already exist.
  explicit CommandRows(const std::vector<CommandRow>& rows, void (*prepare)() = nullptr);
};
struct TrainRows {
  TrainRows(const std::vector<TrainRow>& rows, const std::map<std::string, std::string>& largest);
};
struct TestedElsewhere {
  explicit TestedElsewhere(const std::map<std::string, std::string>& options,
                           const std::map<std::string, std::string>& commands = {});
};

/// Returns a list with a flag of that name, for the options of an optional module.
std::vector<Option> a_flag(const std::string& name);

}  // namespace tapehead
