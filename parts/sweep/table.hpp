#pragma once
// The table of a sweep: as text, CSV, Markdown, LaTeX and for a page.
#include "../../cli/terminal/terminal.hpp"
#include "results.hpp"

namespace tapehead {

/// Returns the table for a terminal, with a line per combination. Its columns are the median
/// validation loss over the seeds, by the best and by the last evaluation, and the median number of
/// steps. Tasks with completions also have exact match. Diverged runs count as the worst; the line
/// gives the step of divergence. With several seeds, each metric has its own table, with the worst
/// seed, the mean with the margin of its 95 % confidence interval, and the standard deviation.
std::string sweep_text(const Sweep& sweep, const Terminal& terminal);
/// Returns everything in one table; the first row has the column names.
std::vector<std::vector<std::string>> sweep_cells(const Sweep& sweep);
/// Returns CSV with all digits. Fields that a diverged run lacks are empty.
std::string sweep_csv(const Sweep& sweep);
/// Returns a Markdown table.
std::string sweep_markdown(const Sweep& sweep);
/// Returns a LaTeX tabular for the package booktabs.
std::string sweep_latex(const Sweep& sweep);

/// The formats of `sweep --format` by name; the first is sweep_text.
struct SweepFormat {
  const char* name;
  std::string (*text)(const Sweep&, const Terminal&);
};
const std::vector<SweepFormat>& sweep_formats();

/// Returns the same table, and each run's results with its settings, for a page.
Json sweep_page_json(const Sweep& sweep);

}  // namespace tapehead
