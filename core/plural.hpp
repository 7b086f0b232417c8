#pragma once
#include <fmt/format.h>

#include <string>

namespace tapehead {

/// Returns `1 step` or `2 steps`.
template <class Count>
std::string plural(Count count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace tapehead
