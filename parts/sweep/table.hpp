#pragma once
// The table of a sweep, as text and for papers and notes.
#include "../../cli/terminal/terminal.hpp"
#include "results.hpp"

namespace tapehead {

/// Returns the table for people. A line for each combination has the median over its seeds of the
/// held-out loss and, if the task has answers, of exact match, by the best evaluation and by the
/// last; then the median number of steps. A run that diverged counts as the worst, and the line
/// says at which step it did. With several seeds each measure has its own table, which also has
/// the worst seed, the mean, the margin of its 95 % confidence interval and the standard deviation.
std::string sweep_text(const Sweep& sweep, const Terminal& terminal);
/// All of it in one table, whose first row has the names of the columns.
std::vector<std::vector<std::string>> sweep_cells(const Sweep& sweep);
/// Comma-separated, numbers with all their digits; what a run that diverged lacks is empty.
std::string sweep_csv(const Sweep& sweep);
std::string sweep_markdown(const Sweep& sweep);
/// A tabular of the package booktabs.
std::string sweep_latex(const Sweep& sweep);

/// The forms of `sweep --format`, by name; the first is sweep_text.
struct SweepFormat {
  const char* name;
  std::string (*text)(const Sweep&, const Terminal&);
};
const std::vector<SweepFormat>& sweep_formats();

/// The same table, and every result beside its settings, for a page.
Json sweep_page_json(const Sweep& sweep);

}  // namespace tapehead
