#pragma once
// config.toml: the options that a run was started with, spelled as on the command line.
#include "../../train/config/validate.hpp"

namespace tapehead {

/// Parses `name = value` lines of TOML: numbers and truth values as they are, strings without their
/// quotes. Throws FileError that names the path and the line. `numbers`, if given, gets the number
/// of each setting's line.
Settings parse_toml(const std::string& text, const std::string& path,
                    std::vector<int>* numbers = nullptr);
/// A value in TOML: numbers and truth values bare, everything else as a string.
std::string toml_value(const std::string& value);

/// The program's version, the task and every option but `out`, which is the file's own folder.
std::string to_toml(const TrainConfig& config, const Registry& registry);
/// The version of the program that wrote such a file; empty if it has none. Throws FileError.
std::string version_in(const std::string& text, const std::string& path);
/// `; it was made by the program 'mine'`, where that isn't this one. Throws FileError.
std::string made_elsewhere(const std::string& text, const std::string& path,
                           const Registry& registry);
/// The task and the options that affect the result, without headings, as a checkpoint records them.
std::string deciding_toml(const TrainConfig& config, const Registry& registry);
/// Parses such a file; options that it lacks are those of the task's recipe. Throws FileError.
TrainConfig config_from_toml(const std::string& text, const std::string& path,
                             const Registry& registry);

}  // namespace tapehead
