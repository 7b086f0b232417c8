#pragma once
#include "../../cli/terminal/terminal.hpp"

#include <functional>

namespace tapehead {

/// Draws tokens next to each other, each above its id, wrapped to the terminal's width. On a
/// terminal with colours, adjacent tokens have different backgrounds. bytes_of(token) returns a
/// token's bytes, which are drawn as visible characters: `␣the`, `↵`, `\xe2\x82`.
std::string token_picture(const std::vector<int>& tokens,
                          const std::function<std::string(int)>& bytes_of,
                          const Terminal& terminal);

}  // namespace tapehead
