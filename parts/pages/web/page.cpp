#include "page.hpp"
#include "../../../cli/terminal/terminal.hpp"

namespace tapehead {
namespace {

constexpr const char* light =
    ".back{fill:#fff}.title{fill:#1d2126;font-weight:600}.soft{fill:#5c6570}"
    ".frame{fill:#f3f5f7;stroke:#c9d0d8}.ink{fill:#1653a3}";
constexpr const char* dark =
    "@media (prefers-color-scheme:dark){"
    ".back{fill:#14171b}.title{fill:#e9ecef}.soft{fill:#a0a8b2}"
    ".frame{fill:#1d2126;stroke:#3a424c}.ink{fill:#ffc861}}";

/// Returns the text of a file in this folder or a subfolder.
std::string file_text(const std::string& name) {
  for (const EmbeddedFile* file = page_files; file->path; ++file)
    if (file->path == name || ends_with(file->path, "/" + name)) return file->text;
  throw Error("no file {} is embedded", name);
}

std::string joined_files(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : "\n") + file_text(name);
  return text;
}

/// Escapes `<` in the strings of JSON, since text such as </script> would end the element.
std::string escape_for_script(const std::string& json) {
  std::string result;
  for (char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

}  // namespace

std::string web_page(const std::string& title, const std::vector<const char*>& styles,
                     const Json& data, const std::vector<const char*>& scripts, int refresh) {
  const std::string json = to_float_text(data);
  const std::string again =
      refresh > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", refresh) : "";
  return fmt::format(fmt::runtime(file_text("page.html")), fmt::arg("title", escape_markup(title)),
                     fmt::arg("refresh", again), fmt::arg("style", joined_files(styles)),
                     fmt::arg("data", escape_for_script(json)),
                     fmt::arg("script", joined_files(scripts)));
}

std::vector<const char*> with_words(const std::vector<const char*>& scripts) {
  std::vector<const char*> result = {"elements.js", "words_en.js", "words_de.js", "words.js",
                                     "fingers.js"};
  append(result, scripts);
  return result;
}

std::string svg_text(double x, double y, const char* kind, const std::string& content,
                     const std::string& more) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}" {}>{}</text>)", x, y, kind, more,
                     escape_markup(content)) +
         '\n';
}

std::string svg_picture(int width, int height, const std::string& title, const std::string& more,
                        const std::string& elements) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" font-family="ui-monospace, Menlo, Consolas, monospace">
<title>{2}</title>
<style>{3}{4}{5}</style>
<rect class="back" width="{0}" height="{1}" rx="8"/>
{6}</svg>
)",
      width, height, escape_markup(title), light, more, dark, elements);
}

}  // namespace tapehead
