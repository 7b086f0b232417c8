#pragma once
// The results table of a sweep, as text, CSV, Markdown, LaTeX or JSON for a page.
#include "../../cli/terminal/terminal.hpp"
#include "results.hpp"

namespace tapehead {

/// Formats the table for a terminal, with one line per combination. Columns are the median over the
/// seeds of exact match (for tasks with answers) and validation loss, each for the best and the
/// last evaluation, and the median number of steps. A diverged run counts as the worst; its line
/// shows the step. With several seeds, each metric has its own table, with the worst seed, the mean
/// and its 95 % confidence interval, and the standard deviation. A last table has the mean accuracy
/// at up to six lengths, if it is known.
std::string sweep_text(const Sweep& sweep, const Terminal& terminal);
/// Returns all columns in one table; the first row has the column names.
std::vector<std::vector<std::string>> sweep_cells(const Sweep& sweep);
/// Formats comma-separated values with all digits. Fields without a value, as for diverged runs,
/// are empty.
std::string sweep_csv(const Sweep& sweep);
/// Returns a Markdown table.
std::string sweep_markdown(const Sweep& sweep);
/// Formats a LaTeX tabular for the package booktabs.
std::string sweep_latex(const Sweep& sweep);

/// A format of `sweep --format`. sweep_text is the first and the default.
struct SweepFormat {
  const char* name;
  std::string (*text)(const Sweep&, const Terminal&);
};
const std::vector<SweepFormat>& sweep_formats();

/// Returns the table, the charts' data and the runs' folders, for an HTML page.
Json sweep_page_json(const Sweep& sweep);

}  // namespace tapehead
