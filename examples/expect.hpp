#pragma once
// Checks for the examples.
#include <fmt/format.h>

#include <cstdlib>

inline void expect(bool holds, const char* claim) {
  fmt::print("{}  {}\n", holds ? "ok" : "WRONG", claim);
  if (!holds) std::exit(1);
}
