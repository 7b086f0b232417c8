#include "../../study.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"

namespace tapehead::fuzz {
namespace {

void study(const std::string& input) {
  try {
    const Study read = parse_study(input, "my.toml");
    const std::vector<StudyRow> rows = rows_of(read);
    promise(!rows.empty(), "at least one row");
    for (const StudyRow& row : rows)
      promise(row.cells.size() == read.axes.size(), "a label for each axis");
    for (const StudyMeasure& measure : read.measures) measured(measure, {}, 1);
  } catch (const FileError&) {
  }
}
const Target study_target("study", study);

}  // namespace

}  // namespace tapehead::fuzz
