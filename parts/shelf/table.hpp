#pragma once
// Runs as a table for people, and as JSON and CSV for programs.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/runs/json.hpp"
#include "run.hpp"

namespace tapehead {

/// The options that decide the result and that differ between runs of one task, in the order of the
/// help.
std::vector<std::string> differing_options(const std::vector<ShelfRun>& runs,
                                           const Registry& registry);

/// The columns of a table where none are asked for: those in which some run has something, and at
/// most `most` of the options that differ.
std::vector<std::string> table_columns(const std::vector<ShelfRun>& runs,
                                       const std::vector<std::string>& differing, std::size_t most);
/// Those of a file, which has room for all.
std::vector<std::string> csv_columns(const std::vector<std::string>& differing);

std::string to_text(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal);
/// With a line of the columns' names first; numbers have all their digits.
std::string to_csv(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns);
Json to_json(const ShelfRun& run);

}  // namespace tapehead
