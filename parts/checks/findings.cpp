#include "findings.hpp"

#include <fmt/ranges.h>

namespace tapehead {

Json to_json(const ModuleReport& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings)
    findings.push_back({{"kind", to_string(finding.kind)}, {"text", finding.text}});
  return {{"name", report.name},
          {"passed", report.findings.empty()},
          {"findings", findings},
          {"notes", report.notes}};
}

void add_rows(Table& table, const ModuleReport& report, const Terminal& terminal) {
  if (report.findings.empty())
    table.add({report.name, paint(terminal, Style::good, "ok"),
               fmt::format("{}", fmt::join(report.notes, ", "))});
  std::string name = report.name;
  for (const Finding& finding : report.findings)
    table.add({std::exchange(name, ""), paint(terminal, Style::bad, to_string(finding.kind)),
               finding.text});
}

}  // namespace tapehead
