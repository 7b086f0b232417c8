#pragma once
// What is fuzzed. Each target hands its input to a reader, as the library does, and catches the
// errors that the reader promises; anything else that is thrown is a finding. Where a reader has a
// writer, or makes a promise, the target holds it to that.
#include <map>
#include <string>

namespace tapehead::fuzz {

using Read = void (*)(const std::string& input);

/// Those that this program has, by name.
inline std::map<std::string, Read>& targets() {
  static std::map<std::string, Read> all;
  return all;
}

/// foo.cpp has one called `foo`.
struct Target {
  Target(const char* name, Read read) { targets()[name] = read; }
};

}  // namespace tapehead::fuzz
