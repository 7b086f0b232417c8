#pragma once
// Configuration files that build on others: `extends = "base.toml"`, and several of --config.
#include "config_file.hpp"

namespace tapehead {

struct ConfigFiles {
  std::vector<ConfigLine> lines;  ///< of all, in an order in which the last of a name counts
  Settings last;                  ///< what the last file says itself
};

/// Reads files, and before each one the file that it extends, whose path is relative to its folder.
/// Throws FileError, which names who extends whom, and for a file that extends itself.
ConfigFiles read_config_files(const std::vector<std::string>& paths);

}  // namespace tapehead
