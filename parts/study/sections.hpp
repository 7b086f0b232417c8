#pragma once
// Reads TOML files with several tables; a configuration file has only one.
#include "../../cli/options/config_file.hpp"

namespace tapehead {

/// A table and its lines: [axis.task] has the name `axis` and the argument `task`.
struct Section {
  std::string name, argument;  ///< both empty for the lines before the first table
  std::string place;           ///< path and line number: `my.toml:3`
  std::vector<ConfigLine> lines;
};

/// Splits a TOML file into its tables. Line breaks in a """string""" count as spaces. Throws
/// FileError that names the path and the line.
std::vector<Section> read_sections(const std::string& text, const std::string& path);

}  // namespace tapehead
