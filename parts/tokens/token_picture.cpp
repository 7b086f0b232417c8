#include "token_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

/// Returns a token's bytes as visible characters: `␣the`, `↵`, `\xe2\x82`.
std::string name_of(const std::string& bytes) {
  std::string name;
  for (const std::string& character : characters(bytes)) {
    const bool invalid = character.size() == 1 && (character[0] & 0x80) != 0;
    name += invalid            ? fmt::format("\\x{:02x}", static_cast<unsigned char>(character[0]))
            : character == " " ? "␣"
                               : visible(character);
  }
  return name;
}

}  // namespace

std::string token_picture(const std::vector<int>& tokens,
                          const std::function<std::string(int)>& bytes_of,
                          const Terminal& terminal) {
  constexpr int backgrounds[] = {24, 58, 53, 22, 94};  // dark colours among the terminal's 256
  std::string text, names, ids;
  int used = 0;  // columns used in the current line
  const auto end_line = [&] {
    for (std::string* line : {&names, &ids}) {
      line->erase(line->find_last_not_of(' ') + 1);
      text += *line + '\n';
      line->clear();
    }
    used = 0;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string name = shorten(name_of(bytes_of(tokens[i])), terminal.width - 2);
    const std::string id = std::to_string(tokens[i]);
    const int width = 2 + std::max(display_width(name), display_width(id));
    if (used + width > terminal.width) end_line();
    const int background = backgrounds[i % std::size(backgrounds)];
    names += terminal.colour
                 ? fmt::format("\x1b[97;48;5;{}m{}\x1b[0m", background, pad_right(name, width))
                 : pad_right(name, width);
    ids += pad_right(id, width);
    used += width;
  }
  if (used > 0) end_line();
  return text;
}

}  // namespace tapehead
