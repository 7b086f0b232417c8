#pragma once
// Which runs are listed, in which order: by what their columns hold.
#include "run.hpp"

#include <optional>

namespace tapehead {

/// What a run has in a column.
struct Cell {
  std::string text;                     ///< as it was given, or with as many digits as it takes
  std::optional<double> number;         ///< where it is one
  std::vector<std::string> words = {};  ///< tags: each of them counts
};

/// Empty where the run has nothing there. Columns are those of `own_columns`, the options, and the
/// numbers of metrics.jsonl, with - in place of _.
std::optional<Cell> cell_of(const ShelfRun& run, const std::string& column);

/// Of `last` and `best` the column that they stand for: exact match where the run's task has
/// answers, else the loss. Of others the same.
std::string result_column(const ShelfRun& run, const std::string& column);

/// run, state, task, ...: what every run has.
const std::vector<std::string>& own_columns();
/// Throws UsageError that names the nearest where there is no such column: neither one of these
/// runs' nor an option of some task. `where` is the option that names it.
void check_column(const std::string& column, const char* where, const std::vector<ShelfRun>& runs,
                  const Registry& registry);

/// NAME=VALUE, and the same with != < <= > >=, or ~ for a part of a text; NAME alone for a column
/// that has a value, and !NAME for one that has none. Spaces around the three don't count.
struct Condition {
  enum class Is { equal, different, less, at_most, more, at_least, containing, given, missing };

  std::string column;
  Is is = Is::equal;
  std::string value;

  /// Throws UsageError for other text, and for an impossible date.
  static Condition parse(const std::string& text);
  /// Numbers are compared as such, dates as far as the value goes, all else as texts. A run that
  /// has nothing in the column is different from any value, and nothing else.
  bool holds(const ShelfRun& run) const;
};

/// Throws UsageError for a text that is compared with a column in which these runs have numbers.
void check_value(const Condition& condition, const std::vector<ShelfRun>& runs);

/// Sorts by a column, or, behind a minus, by it in descending order; runs that have nothing there
/// come last. Runs that are equal stay in their order.
void sort_by(const std::string& column, std::vector<ShelfRun>& runs);

}  // namespace tapehead
