#pragma once
// Fuzz targets. Each passes its input to a reader, and catches the errors that the reader promises;
// anything else is a finding. It also checks the reader's other promises, such as that a written
// file is read back the same.
#include <map>
#include <string>

namespace tapehead::fuzz {

using Read = void (*)(const std::string& input);

/// The targets in this program, by name.
inline std::map<std::string, Read>& targets() {
  static std::map<std::string, Read> all;
  return all;
}

/// Registers a target by its name. The target in foo.cpp is named `foo`.
struct Target {
  Target(const char* name, Read read) { targets()[name] = read; }
};

}  // namespace tapehead::fuzz
