#include "metrics_csv.hpp"
#include "../files/files.hpp"
#include "../files/strings.hpp"
#include "../runs/metrics_file.hpp"
#include "../runs/run_folder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tapehead {

MetricsTable::MetricsTable(std::string run, const std::vector<std::string>& lines)
    : run_(std::move(run)), path_(run_ + "/" + metrics_table_name) {
  for (const std::string& line : lines) rows_.push_back(row_of(parse_json(line).value()));
  write();
}

void MetricsTable::append(const Json& line) {
  const std::size_t known = columns_.size();
  rows_.push_back(row_of(line));
  if (columns_.size() > known) return write();
  write_in(run_, [&] { append_file(path_, text_of(rows_.back())); });
}

MetricsTable::Row MetricsTable::row_of(const Json& line) {
  Row row;
  each_leaf(line, [&](const std::string& name, const Json& value) {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    const auto column = static_cast<std::size_t>(found - columns_.begin());
    if (found == columns_.end()) columns_.push_back(name);
    row.emplace_back(column,
                     value.is_string() ? csv_cell(value.string()) : csv_cell(value.number()));
  });
  return row;
}

std::string MetricsTable::text_of(const Row& row) const {
  std::vector<std::string> cells(columns_.size());
  for (const auto& [column, cell] : row) cells[column] = cell;
  std::string text;
  const char* comma = "";
  for (const std::size_t column : order_) text += std::exchange(comma, ",") + cells[column];
  return text + '\n';
}

void MetricsTable::write() {
  order_.resize(columns_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_partition(order_.begin(), order_.end(), [this](std::size_t column) {
    return columns_[column].find('/') == std::string::npos;
  });
  Row head;
  for (std::size_t i = 0; i < columns_.size(); ++i) head.emplace_back(i, csv_cell(columns_[i]));
  std::string text = text_of(head);
  for (const Row& row : rows_) text += text_of(row);
  write_in(run_, [&] { replace_file(path_, text); });
}

}  // namespace tapehead
