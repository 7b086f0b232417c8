#pragma once
// config.toml: the options of a run, spelled as on the command line.
#include "../../train/config/validate.hpp"

namespace tapehead {

/// Parses `name = value` lines of TOML. Strings lose their quotes. Throws FileError that names the
/// path and the line. `numbers`, if given, receives the line number of each setting.
Settings parse_toml(const std::string& text, const std::string& path,
                    std::vector<int>* numbers = nullptr);
/// Returns a value in TOML: numbers and booleans bare, everything else as a string.
std::string toml_value(const std::string& value);

/// Returns a configuration as TOML: the program's version, the task, the working directory for
/// relative paths (if there are any; default: the current one), and every option except `out`.
std::string to_toml(const TrainConfig& config, const Registry& registry,
                    const std::string& directory = "");
/// Returns the version of the program that wrote a configuration file; empty if the file has none.
/// Throws FileError.
std::string version_in(const std::string& text, const std::string& path);
/// Returns the working directory recorded in a configuration file; empty if the file has none.
/// Throws FileError.
std::string working_directory_in(const std::string& text, const std::string& path);
/// Returns whether the value of an option is the path of a file or run that training reads.
bool is_file_option(const Option& option);
/// Returns `; open it with the program that made it, 'mine'` if another program wrote the
/// configuration file, else an empty text. Throws FileError.
std::string foreign_program_hint(const std::string& text, const std::string& path,
                                 const Registry& registry);
std::string foreign_program_hint(const Settings& settings, const Registry& registry);
/// Returns the task and the options that affect the result as TOML, without headings, as a
/// checkpoint records them.
std::string deciding_toml(const TrainConfig& config, const Registry& registry);

/// A line of a configuration file, and its position for error messages.
struct ConfigLine {
  std::string name, value;
  std::string place;  ///< path and line number: `base.toml:3`
  std::string chain;  ///< for a file that others extend: ` (mine.toml extends base.toml)`
};
/// Splits the text of a configuration file into lines. Throws FileError.
std::vector<ConfigLine> config_lines(const std::string& text, const std::string& path);
/// Returns the configuration that the lines describe. The last value of a name counts; missing
/// options have the values of the task's default configuration. Throws FileError with the position
/// of the faulty line, or with `path` if a required line is missing.
TrainConfig config_from_lines(const std::vector<ConfigLine>& lines, const std::string& path,
                              const Registry& registry);
/// Returns the configuration that the text of a configuration file describes. Throws FileError.
TrainConfig config_from_toml(const std::string& text, const std::string& path,
                             const Registry& registry);

}  // namespace tapehead
