#pragma once
// Options and what they change, for the suites `options` and `command_options`, which try them all.
// The tests of a part add those of its own.
#include "../../train/config/registry.hpp"

#include <map>

namespace tapehead {

/// An option of a command other than `train`.
struct CommandRow {
  static constexpr const char* unchanged = "unchanged";
  std::string command;  ///< and what it is called with
  std::string option, value;
  std::string shows;         ///< what is printed with it, and isn't without it; none: anything else
                             ///< but the same text; `unchanged`: the same text
  std::string wrong, error;  ///< none: it takes anything, or nothing
  std::string writes = {};   ///< a folder, which must not be there before
  int without = 0, status = 0;  ///< how the command ends without the option, and with it
};

/// What another value changes: the weights, the figures that are written down, the run's folder, or
/// no bit of anything but what config.toml records.
enum class Changes { weights, metrics, folder, nothing };

/// An option of `train`.
struct TrainRow {
  std::string name, value;
  Changes changes;
  Settings beside;           ///< what the option needs to matter
  std::string wrong, error;  ///< none: it takes anything
};

struct OptionRows {
  std::vector<CommandRow> commands;
  std::vector<TrainRow> train;
  std::map<std::string, std::string> largest;  ///< that a count of `train` may be
  // What isn't like the others, and the suites that test it: options, commands, and options of
  // commands, as `report --serve`.
  std::map<std::string, std::string> elsewhere, commands_elsewhere;
  std::vector<void (*)()> preparations;
};
OptionRows& option_rows();

struct CommandRows {
  /// `prepare` makes what they speak of, in the working folder; see command_options_test.cpp for
  /// what there is already.
  explicit CommandRows(const std::vector<CommandRow>& rows, void (*prepare)() = nullptr);
};
struct TrainRows {
  TrainRows(const std::vector<TrainRow>& rows, const std::map<std::string, std::string>& largest);
};
struct TestedElsewhere {
  explicit TestedElsewhere(const std::map<std::string, std::string>& options,
                           const std::map<std::string, std::string>& commands = {});
};

/// A part's flag of that name, as the options of a part.
std::vector<Option> a_flag(const std::string& name);

}  // namespace tapehead
