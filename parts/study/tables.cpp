#include "results.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Cells = std::vector<std::string>;

std::string heading(const StudyMeasure& measure) {
  return measure.name + (measure.percent ? ", %" : "");
}

/// Returns the headings of text columns: the names of the axes but `without`, at least one column.
Cells axis_names(const Study& study, const std::string& without = "") {
  Cells names;
  for (const StudyAxis& axis : study.axes)
    if (axis.name != without) names.push_back(axis.name);
  if (names.empty()) names.emplace_back();
  return names;
}

/// Returns one table with a column for each measure.
StudyTable plain_table(const StudyResults& results) {
  const Study& study = results.study;
  StudyTable table{"", std::max<std::size_t>(study.axes.size(), 1), {axis_names(study)}};
  for (const StudyMeasure& measure : study.measures) table.rows[0].push_back(heading(measure));
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    Cells& cells = table.rows.emplace_back(results.plan.rows[row].cells);
    if (study.axes.empty()) cells.emplace_back("all");
    for (std::size_t i = 0; i < study.measures.size(); ++i)
      cells.push_back(shown_values(study.measures[i], results.values(row, i)));
  }
  return table;
}

/// Arranges the rows of a study in a grid whose columns are the labels of one axis.
class Grid {
 public:
  explicit Grid(const StudyResults& results) : results_(results) {
    const Study& study = results.study;
    for (std::size_t row = 0; row < results.runs.size(); ++row) {
      Cells others;
      std::string column;
      for (const auto& [axis, label] : labels_of(study, results.plan.rows[row]))
        (axis == study.columns ? column : others.emplace_back()) = label;
      if (others.empty()) others.emplace_back("all");
      places_[{position(rows_, others), position(columns_, column)}] = row;
    }
  }

  /// Returns the table of a measure. Published values follow the column to which they belong, or
  /// the last one of several with the same values.
  StudyTable table(std::size_t measure) const {
    const Study& study = results_.study;
    StudyTable table{
        heading(study.measures[measure]), rows_[0].size(), {axis_names(study, study.columns)}};
    append(table.rows, rows_);
    const auto add = [&](const std::string& head, const Cells& cells) {
      table.rows[0].push_back(head);
      for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i + 1].push_back(cells[i]);
    };
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      add(columns_[column], column_cells(column, [&](std::size_t row) {
            return shown_values(study.measures[measure], results_.values(row, measure));
          }));
      const Cells published = published_cells(column, measure);
      const bool any = published != Cells(rows_.size(), missing);
      const bool again =
          column + 1 < columns_.size() && published == published_cells(column + 1, measure);
      if (any && !again) add("published", published);
    }
    return table;
  }

 private:
  static constexpr const char* missing = "–";

  /// Returns the position of a value in a list; appends it if it is new.
  template <class T>
  static std::size_t position(std::vector<T>& list, const T& value) {
    const auto found = std::find(list.begin(), list.end(), value);
    const auto place = static_cast<std::size_t>(found - list.begin());
    if (found == list.end()) list.push_back(value);
    return place;
  }

  template <class F>
  Cells column_cells(std::size_t column, const F& cell) const {
    Cells cells;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto found = places_.find({row, column});
      cells.push_back(found == places_.end() ? missing : cell(found->second));
    }
    return cells;
  }

  Cells published_cells(std::size_t column, std::size_t measure) const {
    const StudyMeasure& of = results_.study.measures[measure];
    return column_cells(column, [&](std::size_t row) -> std::string {
      for (const StudyComparison& one : comparisons_)
        if (one.measure == of.name && one.row == results_.plan.rows[row].name)
          return shown_value(of, one.published);
      return missing;
    });
  }

  const StudyResults& results_;
  const std::vector<StudyComparison> comparisons_ =
      results_.quick ? std::vector<StudyComparison>() : comparisons(results_);
  std::vector<Cells> rows_;           // the labels of the other axes
  std::vector<std::string> columns_;  // the labels of the axis
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;  // the study's row
};

}  // namespace

std::vector<StudyTable> result_tables(const StudyResults& results) {
  if (results.study.columns.empty()) return {plain_table(results)};
  const Grid grid(results);
  std::vector<StudyTable> tables;
  for (std::size_t i = 0; i < results.study.measures.size(); ++i) tables.push_back(grid.table(i));
  return tables;
}

StudyTable comparison_table(const StudyResults& results) {
  StudyTable table{"", 2, {{"row", "measure", "measured", "published", "tolerance", ""}}};
  for (const StudyComparison& one : comparisons(results)) {
    const auto& measures = results.study.measures;
    const auto measure = find_named(measures, one.measure);
    table.rows.push_back({one.row, one.measure, shown_value(*measure, one.measured),
                          shown_value(*measure, one.published),
                          shown_value(*measure, one.tolerance),
                          one.agrees() ? "agrees" : "differs"});
  }
  return table;
}

}  // namespace tapehead
