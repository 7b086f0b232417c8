#pragma once
// What `tapehead check` shows of a layer.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/gradchecks/check_module.hpp"
#include "../../train/runs/json.hpp"

namespace tapehead {

Json to_json(const ModuleReport& report);
/// A row of name, verdict and notes, or one for each finding.
void add_rows(Table& table, const ModuleReport& report, const Terminal& terminal);

}  // namespace tapehead
