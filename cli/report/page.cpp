#include "page.hpp"

#include <fmt/format.h>

#include "../attention/page_parts.hpp"
#include "../web/html_page.hpp"
#include "page_parts.hpp"

namespace tapehead {
std::string report_page(const ReportJson& runs) {
  const auto name = runs[0]["name"].get<std::string>();
  const std::string title = runs.size() == 1
                                ? fmt::format("{} · {}", name, runs[0]["task"].get<std::string>())
                                : fmt::format("{} and {} more", name, runs.size() - 1);
  const ReportJson data = {{"title", title}, {"runs", runs}};
  std::string script;
  for (const char* part : {report_base_script, report_chart_script, report_maps_script,
                           report_examples_script, report_script})
    script += part;
  return html_page(title, std::string(page_style) + report_style, report_body,
                   data.dump(-1, ' ', false, ReportJson::error_handler_t::replace), script);
}

}  // namespace tapehead
