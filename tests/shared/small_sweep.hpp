#pragma once
#include "command.hpp"

namespace tapehead {

/// Runs a sweep of small runs into `out`.
inline Output small_sweep(const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"sweep",    "copy", "--out",   out, "--steps", "4",
                                    "--length", "3",    "--width", "8", "--heads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return command(words);
}

}  // namespace tapehead
