#include <tapehead/cli/attention_formats.hpp>
#include <tapehead/cli/attention_page_parts.hpp>
#include <tapehead/cli/report_page.hpp>
#include <tapehead/cli/report_page_parts.hpp>

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

std::string report_page(const ReportJson& runs) {
  const auto name = runs[0]["name"].get<std::string>();
  const std::string title = runs.size() == 1
                                ? fmt::format("{} · {}", name, runs[0]["task"].get<std::string>())
                                : fmt::format("{} and {} more", name, runs.size() - 1);
  const ReportJson data = {{"title", title}, {"runs", runs}};
  // The policy has the browser refuse whatever isn't in the page itself.
  std::string page = fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>{}</title>
<link rel="icon" href="data:,">
<style>{}{}</style>
</head>
<body>{}<script type="application/json" id="data">)",
      escape_markup(title), page_style, report_style, report_body);
  page += within_script(data.dump(-1, ' ', false, ReportJson::error_handler_t::replace));
  page += "</script>\n<script>";
  for (const char* part : {report_base_script, report_chart_script, report_maps_script,
                           report_examples_script, report_script})
    page += part;
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace tapehead
