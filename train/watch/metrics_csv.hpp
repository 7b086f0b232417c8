#pragma once
// A run's metrics as a table for spreadsheets.
#include "../files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// RUN/metrics.csv: a row for each line of metrics.jsonl, and a column for each number and text in
/// them, named by its keys joined by '/', those with a single key first. What a line hasn't is
/// empty.
class MetricsTable {
 public:
  /// Rewrites the file with `lines` of metrics.jsonl. Throws WriteError where it can't be
  /// written.
  MetricsTable(std::string run, const std::vector<std::string>& lines);

  /// Appends a row, or where the line brings a new column, writes the whole file. Throws
  /// WriteError.
  void append(const Json& line);

 private:
  using Row = std::vector<std::pair<std::size_t, std::string>>;  // columns and cells

  Row row_of(const Json& line);  // adds the columns that are new
  std::string text_of(const Row& row) const;
  void write();

  std::string run_, path_;
  std::vector<std::string> columns_;  // in the order in which they came
  std::vector<std::size_t> order_;    // of columns in the file
  std::vector<Row> rows_;
};

}  // namespace tapehead
