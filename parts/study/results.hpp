#pragma once
// The results of a study's runs: values, comparisons with published values, and conclusions.
#include "../pages/figures/chart.hpp"
#include "planned.hpp"

namespace tapehead {

/// Facts about one run.
struct StudyRun {
  std::string folder, weight_hash, diverged;  ///< `diverged` is the reason; empty: it didn't
  std::uint64_t seed = 0;
  Index steps = 0;
  double seconds = 0;          ///< training time, including all resumptions
  std::vector<Json> lines;     ///< lines of metrics.jsonl
  std::vector<double> values;  ///< one per measure; NaN: missing, infinity: never
};

/// A published value next to the measured one.
struct StudyComparison {
  std::string measure, row, source;
  double published = 0, tolerance = 0, measured = 0;
  bool agrees() const {
    return measured >= published - tolerance && measured <= published + tolerance;
  }
};

/// An answer of the study, and why the runs don't support it.
struct StudyConclusion {
  std::string text, why;  ///< `why` is empty if the runs support the answer
};

/// The results of a study. Refers to the study and its plan.
struct StudyResults {
  const Study& study;
  const StudyPlan& plan;
  bool quick = false;
  std::vector<std::vector<StudyRun>> runs;  ///< runs of each row, one per seed
  std::vector<std::string> programs;        ///< versions and machines that trained the runs

  /// Returns a measure's values of a row, one per seed.
  std::vector<double> values(std::size_t row, std::size_t measure) const;
  double seconds() const;  ///< training time of all runs
};

/// Reads the metrics of all runs, and computes all measures. Throws FileError that names the line
/// of a measure that no run has. If StopSignals asks to stop, returns the results so far.
StudyResults study_results(const Study& study, const StudyPlan& plan, bool quick, Session& session);

/// Returns a measure's value for a row: the median of its runs, or another statistic that the
/// measure chooses. A run that never reached a bound counts as infinite. Returns NaN if no run has
/// the measure.
double over_seeds(const StudyMeasure& measure, const std::vector<double>& values);
/// Formats a value, such as `1,080`, `98.7` or `never`.
std::string shown_value(const StudyMeasure& measure, double value);
/// Formats a row's value with the range over its seeds: `1,080 (630 to 1,800)`.
std::string shown_values(const StudyMeasure& measure, const std::vector<double>& values);

/// Returns the comparisons with published values. Omits rows that were skipped.
std::vector<StudyComparison> comparisons(const StudyResults& results);
/// Returns the study's answers, each with the first condition that doesn't hold.
std::vector<StudyConclusion> conclusions(const StudyResults& results);
/// Charts with their file names.
using StudyCharts = std::vector<std::pair<std::string, LineChart>>;
/// Returns the study's figures.
StudyCharts study_charts(const StudyResults& results);

/// A table of results. The first row has the headings, the first `texts` columns have texts.
struct StudyTable {
  std::string title;  ///< empty: no title
  std::size_t texts = 1;
  std::vector<std::vector<std::string>> rows;
};
/// Returns the values of all rows: one table with the measures as columns, or, if the study sets
/// `columns`, a table for each measure, which includes the published values.
std::vector<StudyTable> result_tables(const StudyResults& results);
/// Returns the published values next to the measured ones, with the tolerances.
StudyTable comparison_table(const StudyResults& results);
/// Returns the printed results: table, published values and answers.
std::string study_text(const StudyResults& results, const Terminal& terminal);
/// Returns the table and the answers in Markdown.
std::string study_markdown(const StudyResults& results);
/// Returns all results as JSON. Only the member `seconds` depends on interruptions and the
/// machine's speed.
Json study_json(const StudyResults& results);
/// Returns the HTML page of a study.
std::string study_page(const StudyResults& results, const StudyCharts& charts);

}  // namespace tapehead
