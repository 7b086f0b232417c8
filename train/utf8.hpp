#pragma once
// UTF-8 text as characters, and as text that does nothing to a terminal.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// The number of bytes of the character that starts here; 1 if it is not valid UTF-8.
std::size_t character_bytes(std::string_view text);
/// The number of a character in Unicode; of an invalid byte, the byte.
std::uint32_t code_point(std::string_view character);
/// The characters of UTF-8 text; each invalid byte counts as one.
std::vector<std::string> characters(std::string_view text);
/// Control characters as visible signs: `↵` for a new line, `␛` for an escape. `�` stands for
/// those without a sign, and for each invalid byte.
std::string visible(const std::string& text);

}  // namespace tapehead
