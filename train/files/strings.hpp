#pragma once
// Text: its beginning, shell patterns, characters of UTF-8, text that is safe to print, and cells
// of CSV.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// Whether a text begins with another one, as std::string::starts_with of C++20.
inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Whether a name follows a shell pattern: `*` stands for any characters, `?` for one, and
/// `[a-c0]` or `[!a-c0]` for one of these or of the others.
bool matches(std::string_view pattern, std::string_view name);

/// The number of bytes of the character that starts here; 1 if it is not valid UTF-8.
std::size_t character_bytes(std::string_view text);
/// The number of a character in Unicode; of an invalid byte, the byte.
std::uint32_t code_point(std::string_view character);
/// The characters of UTF-8 text; each invalid byte counts as one.
std::vector<std::string> characters(std::string_view text);
/// The text with each part that is not UTF-8 replaced by U+FFFD: an invalid byte, or as many bytes
/// as a character could begin with, as in Python's errors="replace" (Unicode 15, section 3.9).
std::string replace_invalid(std::string_view text);
/// Whether a text ends within a character, so that more bytes could complete it.
bool ends_within_character(std::string_view text);
/// Control characters as visible signs: `↵` for a newline, `␛` for an escape. `�` stands for
/// those without a sign, for those that change the direction of what follows, and for each invalid
/// byte.
std::string visible(const std::string& text);
/// A word as a POSIX shell reads it: quoted where it has to be, and such characters as `\033`.
std::string shell_word(const std::string& word);

/// A cell of a table as CSV: quoted where it has to be (RFC 4180).
std::string csv_cell(const std::string& text);
/// All digits of a number; empty where it isn't finite.
std::string csv_cell(double value);

}  // namespace tapehead
