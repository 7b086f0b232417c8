#pragma once
#include "../../cli/terminal/terminal.hpp"

#include <functional>

namespace tapehead {

/// Tokens side by side, each above its id, in as many lines as the width asks for. Backgrounds tell
/// neighbours apart, where the terminal has colours. `bytes_of` gives the text of a token, of which
/// all can be seen: `␣the`, `↵`, `\xe2\x82`.
std::string token_picture(const std::vector<int>& tokens,
                          const std::function<std::string(int)>& bytes_of,
                          const Terminal& terminal);

}  // namespace tapehead
