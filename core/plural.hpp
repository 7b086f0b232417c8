#pragma once
#include <fmt/format.h>

#include <string>

namespace tapehead {

/// Returns `1 step` or `2 steps`.
inline std::string plural(long long count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace tapehead
