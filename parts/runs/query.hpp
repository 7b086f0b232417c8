#pragma once
// The table of runs: conditions, sorting, columns and output formats.
#include "../../cli/terminal/terminal.hpp"
#include "run.hpp"

namespace tapehead {

// The columns of a run are built-in ones such as run, state and task, its options, and its metrics
// in metrics.jsonl, with - in place of _.

/// Throws UsageError, which suggests a similar column, if no run has the column and no task has an
/// option of its name. `where` is the command-line option that contains the column.
void check_column(const std::string& column, const char* where, const std::vector<ListedRun>& runs,
                  const Registry& registry);

/// A condition for runs: NAME=VALUE, where = can be != < <= > >= or, for a substring, ~. NAME alone
/// matches runs with a value in this column, and !NAME runs without one. Spaces around name, sign
/// and value are ignored.
struct Condition {
  std::string column;
  std::string sign;  ///< the operator; empty for NAME alone
  std::string value;

  /// Parses a condition. Throws UsageError for other text and for an invalid date.
  static Condition parse(const std::string& text);
  /// Returns whether a run matches. Compares numbers by value, dates up to the precision of VALUE,
  /// and other columns as text. A run without a value in the column matches only != and !NAME.
  bool matches(const ListedRun& run) const;
};

/// Throws UsageError if the condition compares a column of numbers with text.
void check_value(const Condition& condition, const std::vector<ListedRun>& runs);

/// Sorts runs by a column; in descending order if `column` starts with a minus. Sorting is stable;
/// runs without a value come last.
void sort_by(const std::string& column, std::vector<ListedRun>& runs);

/// Returns the options that affect training results and differ between runs of the same task, in
/// the order of the help.
std::vector<std::string> differing_options(const std::vector<ListedRun>& runs,
                                           const Registry& registry);
/// Return the default columns of a table: the usual columns that have a value in any run, and at
/// most `most` of the differing options. The default columns of a CSV file have all differing
/// options.
std::vector<std::string> table_columns(const std::vector<ListedRun>& runs,
                                       const std::vector<std::string>& differing, std::size_t most);
std::vector<std::string> csv_columns(const std::vector<std::string>& differing);

std::string to_text(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal);
/// Returns CSV with a header line and all digits of numbers.
std::string to_csv(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns);
Json to_json(const ListedRun& run);

}  // namespace tapehead
