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
/// The version of the program that wrote such a file; empty if it has none. Throws FileError.
std::string version_in(const std::string& text, const std::string& path);
/// The directory that relative paths in such a file start from; empty if it has none. Throws
/// FileError.
std::string working_directory_in(const std::string& text, const std::string& path);
/// Whether the value of an option is the path of a file or run that training reads.
bool is_file_option(const Option& option);
/// `; open it with the program that made it, 'mine'`, where that isn't this one. Throws FileError.
std::string foreign_program_hint(const std::string& text, const std::string& path,
                                 const Registry& registry);
std::string foreign_program_hint(const Settings& settings, const Registry& registry);
/// The task and the options that affect the result, without headings, as a checkpoint records them.
std::string deciding_toml(const TrainConfig& config, const Registry& registry);

/// A line of a configuration, and where it stands.
struct ConfigLine {
  std::string name, value;
  std::string place;  ///< base.toml:3
  std::string chain;  ///< of a file that others extend: ` (mine.toml extends base.toml)`
};
/// Of such a file's text. Throws FileError.
std::vector<ConfigLine> config_lines(const std::string& text, const std::string& path);
/// Options that none of the lines has are those of the task's recipe; of a name that occurs several
/// times the last counts. Throws FileError that names the line's place; `path` is where lines are
/// missing.
TrainConfig config_from_lines(const std::vector<ConfigLine>& lines, const std::string& path,
                              const Registry& registry);
/// Both in one.
TrainConfig config_from_toml(const std::string& text, const std::string& path,
                             const Registry& registry);

}  // namespace tapehead
