#pragma once
#include "../../cli/terminal/terminal.hpp"

#include <functional>

namespace tapehead {

/// Renders tokens next to each other, each above its id, wrapped to the terminal's width.
/// Background colours separate neighbours if the terminal has colours. `bytes_of` returns a token's
/// bytes, which are shown visibly: `␣the`, `↵`, `\xe2\x82`.
std::string token_picture(const std::vector<int>& tokens,
                          const std::function<std::string(int)>& bytes_of,
                          const Terminal& terminal);

}  // namespace tapehead
