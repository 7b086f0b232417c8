#include "html_page.hpp"
#include <fmt/format.h>
#include "../attention/formats.hpp"

namespace tapehead {
namespace {

/// A `<` would begin markup, were it the one of </script>. Strings are all that can hold one.
std::string within_script(const std::string& json) {
  std::string result;
  for (char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

}  // namespace

std::string html_page(const std::string& title, const std::string& style, const std::string& body,
                      const std::string& json, const std::string& script) {
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>{}</title>
<link rel="icon" href="data:,">
<style>{}</style>
</head>
<body>{}<script type="application/json" id="data">{}</script>
<script>{}</script>
</body>
</html>
)",
      escape_markup(title), style, body, within_script(json), script);
}

}  // namespace tapehead
