#pragma once
// config.toml: what a run was started with, spelled as on the command line.
#include "../../train/config/options.hpp"

namespace tapehead {

/// `name = value` lines of TOML: numbers and truth values as they are, strings without their
/// quotes. Throws FileError that names the path and the line.
Settings parse_toml(const std::string& text, const std::string& path);
/// A value as TOML writes it: numbers and truth values bare, all else as a string.
std::string toml_value(const std::string& value);

/// The task and every option but `out`, which is where the file itself is.
std::string to_toml(const TrainConfig& config, const Registry& registry);
/// The task and the options on which what is learned depends, without headings: what a checkpoint
/// records.
std::string deciding_toml(const TrainConfig& config, const Registry& registry);
/// What such a file says, all else by the task's recipe. Throws FileError.
TrainConfig config_from_toml(const std::string& text, const std::string& path,
                             const Registry& registry);

}  // namespace tapehead
