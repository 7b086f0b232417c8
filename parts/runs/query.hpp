#pragma once
// Runs as rows of a table: filters, order, columns and formats.
#include "../../cli/terminal/terminal.hpp"
#include "run.hpp"

namespace tapehead {

// Columns have names: run, state, task and others that every run has, the options, and the numbers
// of metrics.jsonl, with - in place of _.

/// Throws UsageError, which suggests the nearest column, if these runs have no such column and no
/// task has such an option. `where` is the command-line option that names the column.
void check_column(const std::string& column, const char* where, const std::vector<ListedRun>& runs,
                  const Registry& registry);

/// NAME=VALUE, the same with != < <= > >=, or ~ for a substring; NAME alone for a column with a
/// value, and !NAME for a column without one. Spaces around name, sign and value are ignored.
struct Condition {
  std::string column;
  std::string sign;  ///< one of the above; empty for NAME alone
  std::string value;

  /// Throws UsageError for other text, and for an impossible date.
  static Condition parse(const std::string& text);
  /// Compares numbers as numbers, dates to the precision of the value, and all else as text. A run
  /// without a value in the column matches only != and !NAME.
  bool matches(const ListedRun& run) const;
};

/// Throws UsageError if a text is compared with a column in which these runs have numbers.
void check_value(const Condition& condition, const std::vector<ListedRun>& runs);

/// Sorts by a column, in descending order if a minus precedes it. Runs without a value come last,
/// and equal runs keep their order.
void sort_by(const std::string& column, std::vector<ListedRun>& runs);

/// The options that decide the result and that differ between runs of one task, in the order of the
/// help.
std::vector<std::string> differing_options(const std::vector<ListedRun>& runs,
                                           const Registry& registry);
/// The default columns of a table: those in which some run has a value, and at most `most` of the
/// options that differ. The default columns of a CSV file include all.
std::vector<std::string> table_columns(const std::vector<ListedRun>& runs,
                                       const std::vector<std::string>& differing, std::size_t most);
std::vector<std::string> csv_columns(const std::vector<std::string>& differing);

std::string to_text(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal);
/// With a line of the columns' names first; numbers have all their digits.
std::string to_csv(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns);
Json to_json(const ListedRun& run);

}  // namespace tapehead
