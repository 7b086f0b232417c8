#pragma once
// Runs as rows of a table: filters, order, columns and formats.
#include "../../cli/terminal/terminal.hpp"
#include "run.hpp"

namespace tapehead {

// Columns are: run, state, task and others that every run has; the options; and the metrics in
// metrics.jsonl, with - in place of _.

/// Throws UsageError, which suggests the nearest column, if neither these runs nor any task's
/// options include the column. `where` is the command-line option that names the column.
void check_column(const std::string& column, const char* where, const std::vector<ListedRun>& runs,
                  const Registry& registry);

/// A condition on runs: NAME=VALUE, or != < <= > >= in place of =, or ~ for a substring. NAME alone
/// matches runs with a value, !NAME those without one. Ignores spaces around name, sign and value.
struct Condition {
  std::string column;
  std::string sign;  ///< the operator; empty for NAME alone
  std::string value;

  /// Throws UsageError for text that isn't a condition, and for an invalid date.
  static Condition parse(const std::string& text);
  /// Compares numbers as numbers, dates with the value's precision, and everything else as text. A
  /// run without a value in the column matches only != and !NAME.
  bool matches(const ListedRun& run) const;
};

/// Throws UsageError if a column of numbers is compared with text.
void check_value(const Condition& condition, const std::vector<ListedRun>& runs);

/// Sorts by a column, in descending order if a minus precedes it. The sort is stable; runs without
/// a value come last.
void sort_by(const std::string& column, std::vector<ListedRun>& runs);

/// Returns the options that affect the result and differ between runs of one task, in the order of
/// the help.
std::vector<std::string> differing_options(const std::vector<ListedRun>& runs,
                                           const Registry& registry);
/// Return the default columns of a table: those with a value in some run, and at most `most` of the
/// differing options. The default columns of a CSV file include all of these.
std::vector<std::string> table_columns(const std::vector<ListedRun>& runs,
                                       const std::vector<std::string>& differing, std::size_t most);
std::vector<std::string> csv_columns(const std::vector<std::string>& differing);

std::string to_text(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal);
/// Returns CSV with a header line; numbers have all their digits.
std::string to_csv(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns);
Json to_json(const ListedRun& run);

}  // namespace tapehead
