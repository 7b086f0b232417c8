#pragma once
// A run's metrics as a CSV table.
#include "../files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The table RUN/metrics.csv: a row per line of metrics.jsonl, and a column per number or text in
/// it. A column is named by its JSON keys, joined by '/'; names without '/' come first. Missing
/// values are empty.
class MetricsTable {
 public:
  /// Rewrites the file with `lines` of metrics.jsonl. Throws WriteError if it can't be written.
  MetricsTable(std::string run, const std::vector<std::string>& lines);

  /// Appends a row. Rewrites the whole file if the line has a new column. Throws WriteError.
  void append(const Json& line);

 private:
  using Row = std::vector<std::pair<std::size_t, std::string>>;  // (column, cell)

  Row row_of(const Json& line);  // adds new columns
  std::string text_of(const Row& row) const;
  void write();

  std::string run_, path_;
  std::vector<std::string> columns_;  // in order of appearance
  std::vector<std::size_t> order_;    // column order in the file
  std::vector<Row> rows_;
};

}  // namespace tapehead
