#include "../../cli/terminal/terminal.hpp"
#include "checks.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

namespace tapehead {
namespace {

using State = Diagnosis::State;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// The variable that says how characters are encoded, and what it says: the first that isn't
/// empty, as POSIX has it.
std::pair<std::string, std::string> encoding() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string value = variable(name); !value.empty()) return {name, value};
  return {"LANG", ""};
}

bool is_utf8(const std::string& locale) {
  std::string letters;  // UTF-8, utf8
  for (const unsigned char c : locale)
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  return letters.find("utf8") != std::string::npos;
}

}  // namespace

Diagnoses check_terminal(const Terminal& terminal) {
  std::string text = fmt::format("{} columns", terminal.width);
  if (terminal.colour)
    text += ", colours";
  else if (terminal.live)
    text += ", no colours, as NO_COLOR says";
  else
    text += ", plain text (no terminal, or TERM is dumb)";
  const auto [name, locale] = encoding();
  if (is_utf8(locale)) return {{"terminal", State::fine, text + ", UTF-8"}};
  return {{"terminal", State::missing,
           fmt::format("{}; curves and maps are drawn in UTF-8, and {} is {}", text, name,
                       locale.empty() ? "not set" : locale),
           "export " + (name == "LC_ALL" ? name : std::string("LC_CTYPE")) + "=C.UTF-8"}};
}

}  // namespace tapehead
