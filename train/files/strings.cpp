#include "strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Returns whether the set after `[` contains c, and moves `pattern` behind its `]`. Without a `]`,
/// the `[` is literal: returns false and leaves `pattern` unchanged.
bool is_in_set(std::string_view& pattern, char c, bool& is_set) {
  std::size_t at = pattern.substr(0, 1) == "!" ? 1 : 0;
  const bool wanted = at == 0;
  const std::size_t end = pattern.find(']', at + 1);  // a `]` in first place is literal
  is_set = end != std::string_view::npos;
  if (!is_set) return false;
  bool found = false;
  for (; at < end; ++at) {
    const bool is_range = at + 2 < end && pattern[at + 1] == '-';
    const char last = pattern[is_range ? at + 2 : at];
    found |= pattern[at] <= c && c <= last;
    if (is_range) at += 2;
  }
  pattern.remove_prefix(end + 1);
  return found == wanted;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    const char first = pattern[0];
    pattern.remove_prefix(1);
    if (first == '*') {
      for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
        if (matches(pattern, name.substr(skipped))) return true;
      return false;
    }
    if (name.empty()) return false;
    bool is_set = false;
    const bool is_in = first == '[' && is_in_set(pattern, name[0], is_set);
    if (is_set ? !is_in : first != '?' && first != name[0]) return false;
    name.remove_prefix(1);
  }
  return name.empty();
}

std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes == 1 || first > 0xf4 || bytes > text.size()) return 1;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  // Invalid if overlong, half of a surrogate pair, or above U+10FFFF (RFC 3629, section 3).
  const std::uint32_t code = code_point(text.substr(0, bytes));
  const std::uint32_t least = bytes == 3 ? 0x800 : bytes == 4 ? 0x10000 : 0;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || surrogate || code > 0x10ffff ? 1 : bytes;
}

std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t code = first & (0xffu >> (character.size() + 1));
  for (char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return code;
}

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    result.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return result;
}

namespace {

/// Returns how many bytes at the start of a text belong to a UTF-8 character that is cut off.
/// Returns 0 if the first byte is invalid.
std::size_t begun_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0 || text.size() < 2) return 1;
  // These limits of the second byte exclude overlong forms, surrogates and code points above
  // U+10FFFF.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 1;
  return first >= 0xf0 && text.size() > 2 && (byte(2) & 0xc0) == 0x80 ? 3 : 2;
}

}  // namespace

std::string replace_invalid(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = character_bytes(text);
    if (bytes == 1 && static_cast<unsigned char>(text[0]) >= 0x80) {
      bytes = std::max<std::size_t>(begun_bytes(text), 1);
      result += "\xef\xbf\xbd";
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

bool ends_within_character(std::string_view text) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(text.size(), 3); ++bytes)
    if (const auto last = text.substr(text.size() - bytes); (last[0] & 0xc0) != 0x80)
      return begun_bytes(last) == bytes;
  return false;
}

namespace {

/// Returns whether a code point changes the direction of the text after it (Unicode 15, annex 9):
/// `exe.txt` may really be `txt.exe`.
bool turns_direction(std::uint32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string visible(const std::string& text) {
  std::string result;
  for (const std::string& character : characters(text)) {
    const std::uint32_t code = code_point(character);
    if (character == "\n") {
      result += "↵";
    } else if (code < 0x20) {  // Unicode has a symbol for each, from U+2400
      result += {'\xe2', '\x90', static_cast<char>(0x80 + code)};
    } else if (code == 0x7f) {
      result += "␡";
    } else if ((character.size() == 1 && code >= 0x80) || (code >= 0x80 && code < 0xa0) ||
               turns_direction(code)) {
      result += "�";
    } else {
      result += character;
    }
  }
  return result;
}

std::string shell_word(const std::string& word) {
  const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  if (visible(word) == word) {
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
  }
  std::string quoted = "$'";  // POSIX 2024, section 2.2.4
  for (const std::string& character : characters(word)) {
    if (character == "'" || character == "\\")
      quoted += '\\' + character;
    else if (visible(character) == character)
      quoted += character;
    else
      for (const char c : character)
        quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string trimmed(const std::string& text) {
  constexpr const char* space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

std::vector<std::string> split_words(const std::string& text) {
  constexpr const char* spaces = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(spaces, at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string csv_cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace tapehead
