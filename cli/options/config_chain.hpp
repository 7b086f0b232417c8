#pragma once
// Inheritance of configuration files: `extends = "base.toml"`, and several --config options.
#include "config_file.hpp"

namespace tapehead {

struct ConfigFiles {
  std::vector<ConfigLine> lines;  ///< lines of all files; the last one of a name counts
  Settings last;                  ///< settings of the last file alone
};

/// Reads configuration files, each after the file that it extends, whose path is relative to its
/// folder. Throws FileError that shows the chain of files, also for a file that extends itself.
ConfigFiles read_config_files(const std::vector<std::string>& paths);

}  // namespace tapehead
