#pragma once
// Text helpers: prefixes and endings, lines, shell patterns, UTF-8 characters, safe printing, CSV
// cells.
#include "../../core/containers.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// Returns whether a text begins with `start`, like starts_with in C++20.
inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}
/// Returns whether a text ends with `end`, like ends_with in C++20.
inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Returns whether a name matches a shell pattern: `*` matches any characters, `?` one character,
/// `[a-c0]` one of these, and `[!a-c0]` one of the others.
bool matches(std::string_view pattern, std::string_view name);

/// Returns a text without spaces, tabs and line ends at both ends.
std::string trimmed(const std::string& text);
/// Splits a text at a separator. A separator at the end adds no empty piece.
std::vector<std::string> split(const std::string& text, char separator);
/// Splits a text into lines, without their newlines.
inline std::vector<std::string> split_lines(const std::string& text) { return split(text, '\n'); }
/// Splits a text at spaces, tabs and line ends.
std::vector<std::string> split_words(const std::string& text);

/// Returns the length in bytes of the first character; 1 if it isn't valid UTF-8.
std::size_t character_bytes(std::string_view text);
/// Returns the Unicode code point of a character, or the value of an invalid byte.
std::uint32_t code_point(std::string_view character);
/// Splits UTF-8 text into characters; each invalid byte counts as one.
std::vector<std::string> characters(std::string_view text);
/// Replaces invalid UTF-8 by U+FFFD: one per invalid byte or truncated character, like Python's
/// errors="replace" (Unicode 15, section 3.9).
std::string replace_invalid(std::string_view text);
/// Returns whether a text ends inside a character, so that more bytes could complete it.
bool ends_within_character(std::string_view text);
/// Replaces control characters by visible symbols: `↵` for a newline, `␛` for an escape. `�`
/// replaces other control characters, bidirectional formatting characters and invalid bytes.
std::string visible(const std::string& text);
/// Quotes a word for a POSIX shell if needed. Control characters become escapes such as `\033`.
std::string shell_word(const std::string& word);
/// Returns words as one command line for a shell.
std::string shell_line(const std::vector<std::string>& words);

/// Quotes a CSV cell if needed (RFC 4180).
std::string csv_cell(const std::string& text);
/// Writes a number with all its significant digits; empty if it isn't finite.
std::string csv_cell(double value);

}  // namespace tapehead
