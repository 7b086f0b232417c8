#pragma once
// Runs as rows of a table: which are listed, in which order, and in which form.
#include "../../cli/terminal/terminal.hpp"
#include "run.hpp"

namespace tapehead {

// Columns have names: run, state, task and others that every run has, the options, and the numbers
// of metrics.jsonl, with - in place of _.

/// Throws UsageError that names the nearest column if there is no such one in these runs and no
/// such option of any task. `where` is the option of the command line that names it.
void check_column(const std::string& column, const char* where, const std::vector<ShelfRun>& runs,
                  const Registry& registry);

/// NAME=VALUE, and the same with != < <= > >=, or ~ for a part of a text; NAME alone for a column
/// that has a value, and !NAME for one that has none. Spaces around the three don't count.
struct Condition {
  std::string column;
  std::string sign;  ///< one of the above; empty for NAME alone
  std::string value;

  /// Throws UsageError for other text, and for an impossible date.
  static Condition parse(const std::string& text);
  /// Compares numbers as numbers, dates as far as the value goes, and all else as text. A run that
  /// has nothing in the column is different from any value, and nothing else.
  bool holds(const ShelfRun& run) const;
};

/// Throws UsageError for a text that is compared with a column in which these runs have numbers.
void check_value(const Condition& condition, const std::vector<ShelfRun>& runs);

/// Sorts by a column, or, behind a minus, by it in descending order. Runs that have nothing there
/// come last, and equal runs stay in their order.
void sort_by(const std::string& column, std::vector<ShelfRun>& runs);

/// The options that decide the result and that differ between runs of one task, in the order of the
/// help.
std::vector<std::string> differing_options(const std::vector<ShelfRun>& runs,
                                           const Registry& registry);
/// The default columns of a table: those in which some run has something, and at most `most` of
/// the options that differ; and the default columns of a CSV file, which has room for all.
std::vector<std::string> table_columns(const std::vector<ShelfRun>& runs,
                                       const std::vector<std::string>& differing, std::size_t most);
std::vector<std::string> csv_columns(const std::vector<std::string>& differing);

std::string to_text(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal);
/// With a line of the columns' names first; numbers have all their digits.
std::string to_csv(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns);
Json to_json(const ShelfRun& run);

}  // namespace tapehead
