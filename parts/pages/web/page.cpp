#include "page.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "web.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// A `<` would begin markup, such as </script>. In JSON only strings can hold one.
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

std::string web_page(const std::string& title, std::initializer_list<const char*> styles,
                     const Json& data, std::initializer_list<const char*> scripts, int refresh) {
  const std::string json = to_float_text(data);
  const std::string again =
      refresh > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", refresh) : "";
  return fmt::format(fmt::runtime(page_html), fmt::arg("title", escape_markup(title)),
                     fmt::arg("refresh", again), fmt::arg("style", fmt::join(styles, "\n")),
                     fmt::arg("data", within_script(json)),
                     fmt::arg("script", fmt::join(scripts, "\n")));
}

}  // namespace tapehead
