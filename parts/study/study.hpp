#pragma once
// A study: a file that describes runs, measures, published values, figures, and conclusions with
// the conditions under which they hold.
#include "../../train/files/embedded_file.hpp"
#include "measure.hpp"
#include "sections.hpp"

#include <map>

namespace tapehead {

extern const EmbeddedFile study_files[];  ///< NAME.toml

/// An axis of a study: each label has some options, such as `--weight-decay 0.3`.
struct StudyAxis {
  struct Value {
    std::string label, place;
    Settings settings;
  };
  std::string name;
  std::vector<Value> values;
};

/// Published values of one measure.
struct PublishedValues {
  struct Value {
    std::string row, place;
    double value = 0, tolerance = 0;
  };
  std::string measure, source;
  std::vector<Value> values;
};

/// A figure: curves of a metric, one per row; or a measure against an axis with numbers as labels,
/// or against all measures that have a number as a name.
struct StudyFigure {
  std::string title, place;
  std::string curve;             ///< path in a line of metrics.jsonl; empty: `measure`
  std::string measure, against;  ///< `against` is the name of an axis, or `measures`
  std::string rows = "*";        ///< shell pattern of the rows to show
  std::string x = "step";        ///< with `curve`: step, or share of the run's steps
  bool log_x = false, log_y = false;
};

/// A sentence, and the conditions under which the runs support it.
struct StudyAnswer {
  /// `[every ]ROW: MEASURE` compared with a number, or with another row's measure, such as
  /// `ROW: MEASURE - 0.01`. `every` compares each seed.
  struct Condition {
    std::string text, place;
    std::string row, measure;  ///< `row` is a shell pattern
    bool every = false;
    std::string op;
    std::string other_row, other_measure;  ///< empty: `bound` is the number
    double bound = 0;                      ///< the number, or what to add to the other measure
  };
  std::string text;
  std::vector<Condition> conditions;
};

struct Study {
  std::string name;    ///< file name without .toml
  std::string folder;  ///< folder of the file; empty for an included study
  std::string title, question, source, setup, limitations;
  /// The axis whose labels are columns of the results tables, and the line that names it. Empty:
  /// the measures are columns.
  std::string columns, columns_place;
  Index seeds = 5;
  std::vector<ConfigLine> train;  ///< options of all runs
  /// Options of the rows with `--preset NAME`, which override [train].
  std::map<std::string, std::vector<ConfigLine>> presets;
  std::vector<StudyAxis> axes;
  std::vector<StudyMeasure> measures;
  std::vector<PublishedValues> published;
  std::vector<StudyFigure> figures;
  std::vector<StudyAnswer> answers;
  std::vector<ConfigLine> quick;  ///< seeds and options of --quick
  Settings data;                  ///< data files, and where to get them
};

/// A row of the results table: a combination of the axes' values.
struct StudyRow {
  std::string name;                ///< the labels, joined by ` · `
  std::vector<std::string> cells;  ///< the label of each axis
  Settings settings;
  std::string place;  ///< path and line of the last value
};
/// Returns all combinations; the last axis varies fastest. Without axes, returns the row `all`.
std::vector<StudyRow> rows_of(const Study& study);
/// Returns the names of the axes with the row's labels.
Settings labels_of(const Study& study, const StudyRow& row);
/// Returns whether a row's name equals `pattern` or matches it.
bool is_row(const StudyRow& row, const std::string& pattern);

/// Parses the text of a study's file. Throws FileError that names the path and the line.
Study parse_study(const std::string& text, const std::string& path);
/// Returns the included studies in alphabetical order.
std::vector<Study> included_studies();
/// Returns an included study, or reads the file if the name ends in .toml. Throws UsageError that
/// suggests the nearest name, and FileError.
Study find_study(const std::string& name);

}  // namespace tapehead
