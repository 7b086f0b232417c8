#pragma once
#include <string_view>

namespace tapehead {

/// Whether a text begins with another one, as std::string::starts_with of C++20.
inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace tapehead
