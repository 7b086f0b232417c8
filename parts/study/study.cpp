#include "study.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/config/names.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace tapehead {
namespace {

double number_at(const std::string& text, const std::string& place) {
  if (const auto number = read_real(text)) return *number;
  throw FileError("{}: expected a number, got '{}'", place, text);
}

Index seeds_at(const ConfigLine& line) {
  const double seeds = number_at(line.value, line.place);
  if (seeds < 1 || seeds > 1e6 || seeds != static_cast<double>(static_cast<Index>(seeds)))
    throw FileError("{}: seeds must be a whole number from 1 on, not {}", line.place, line.value);
  return static_cast<Index>(seeds);
}

bool flag_at(const ConfigLine& line) {
  if (line.value != "true" && line.value != "false")
    throw FileError("{}: {} must be true or false, not '{}'", line.place, line.name, line.value);
  return line.value == "true";
}

/// Throws FileError unless a word of the file is one of `known`.
void check_known(const std::string& place, const std::string& what, const std::string& word,
                 const std::vector<std::string>& known) {
  try {
    require_known(what, word, known);
  } catch (const UsageError& error) {
    throw FileError("{}: {}", place, error.what());
  }
}

/// Assigns the lines of a table to strings by name. Throws FileError for an unknown name. `others`
/// are further known names, whose lines the caller has read; errors list them, too.
void assign(const std::vector<ConfigLine>& lines, const std::vector<std::string>& others,
            const std::vector<std::pair<const char*, std::string*>>& targets) {
  for (const ConfigLine& line : lines) {
    std::vector<std::string> names;
    std::string* target = nullptr;
    for (const auto& [name, to] : targets) {
      names.emplace_back(name);
      if (line.name == name) target = to;
    }
    names.insert(names.end(), others.begin(), others.end());
    if (target)
      *target = line.value;
    else
      check_known(line.place, "name", line.name, names);
  }
}

/// Removes the line of a name, and returns it.
std::optional<ConfigLine> take_line(std::vector<ConfigLine>& lines, const std::string& name) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const ConfigLine& line) { return line.name == name; });
  if (found == lines.end()) return {};
  ConfigLine line = *found;
  lines.erase(found);
  return line;
}

StudyAxis axis_in(const Section& section) {
  StudyAxis axis{section.argument, {}};
  if (section.lines.empty())
    throw FileError("{}: [axis.{}] needs lines LABEL = \"--OPTION VALUE\"", section.place,
                    section.argument);
  for (const ConfigLine& line : section.lines) try {
      axis.values.push_back({line.name, line.place, parse_settings(line.value)});
    } catch (const Error& error) {
      throw FileError("{}: {}", line.place, error.what());
    }
  return axis;
}

/// Parses `20 +- 2` or `20 +- 10 %`.
PublishedValues::Value published_value(const ConfigLine& line) {
  PublishedValues::Value value{line.name, line.place, 0, 0};
  const std::size_t at = line.value.find("+-");
  if (at == std::string::npos)
    throw FileError("{}: expected a value and its tolerance, such as \"20 +- 2\" or \"20 +- 10 %\"",
                    line.place);
  const auto stripped = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  };
  std::string tolerance = stripped(line.value.substr(at + 2));
  const bool relative = !tolerance.empty() && tolerance.back() == '%';
  if (relative) tolerance.pop_back();
  value.value = number_at(stripped(line.value.substr(0, at)), line.place);
  value.tolerance = number_at(tolerance, line.place);
  if (relative) value.tolerance *= std::abs(value.value) / 100;
  return value;
}

PublishedValues published_in(Section section) {
  PublishedValues published{section.argument, "", {}};
  if (const auto source = take_line(section.lines, "source")) published.source = source->value;
  if (published.source.empty())
    throw FileError("{}: published values need a line source = \"...\"", section.place);
  for (const ConfigLine& line : section.lines) published.values.push_back(published_value(line));
  return published;
}

StudyFigure figure_in(Section section) {
  StudyFigure figure;
  figure.title = section.argument;
  figure.place = section.place;
  if (const auto line = take_line(section.lines, "log-x")) figure.log_x = flag_at(*line);
  if (const auto line = take_line(section.lines, "log-y")) figure.log_y = flag_at(*line);
  assign(section.lines, {"log-x", "log-y"},
         {{"curve", &figure.curve},
          {"measure", &figure.measure},
          {"against", &figure.against},
          {"rows", &figure.rows},
          {"x", &figure.x}});
  if (figure.curve.empty() == figure.against.empty())
    throw FileError("{}: a figure needs either curve = \"METRIC\" or against = \"AXIS\"",
                    section.place);
  if (figure.x != "step" && figure.x != "share")
    throw FileError("{}: x must be step or share, not '{}'", section.place, figure.x);
  return figure;
}

/// Splits `ROW: MEASURE` at the last colon.
std::pair<std::string, std::string> row_and_measure(const std::string& text,
                                                    const std::string& place) {
  const std::size_t at = text.rfind(": ");
  if (at == std::string::npos)
    throw FileError("{}: expected \"ROW: MEASURE\", got \"{}\"", place, text);
  return {text.substr(0, at), text.substr(at + 2)};
}

StudyAnswer::Condition condition_at(const ConfigLine& line) {
  StudyAnswer::Condition condition;
  condition.text = line.name + " " + line.value;
  condition.place = line.place;
  std::string left = line.name;
  if (starts_with(left, "every ")) {
    condition.every = true;
    left.erase(0, 6);
  }
  std::tie(condition.row, condition.measure) = row_and_measure(left, line.place);
  std::string rest;
  std::tie(condition.op, rest) = split_comparison(line.value);
  if (condition.op.empty())
    throw FileError("{}: expected a comparison, such as \">= 99\" or \"< ROW: MEASURE - 0.01\"",
                    line.place);
  rest.erase(0, rest.find_first_not_of(' '));
  if (rest.find(": ") == std::string::npos) {
    condition.bound = number_at(rest, line.place);
    return condition;
  }
  std::string& other = condition.other_measure;
  std::tie(condition.other_row, other) = row_and_measure(rest, line.place);
  for (const char* sign : {" + ", " - "})
    if (const std::size_t at = other.rfind(sign); at != std::string::npos) {
      condition.bound = number_at(other.substr(at + 3), line.place) * (sign[1] == '-' ? -1 : 1);
      other.resize(at);
    }
  return condition;
}

StudyAnswer answer_in(const Section& section) {
  StudyAnswer answer{section.argument, {}};
  if (section.lines.empty())
    throw FileError("{}: an answer needs conditions, such as \"ROW: MEASURE\" = \">= 99\"",
                    section.place);
  for (const ConfigLine& line : section.lines) answer.conditions.push_back(condition_at(line));
  return answer;
}

/// Throws FileError unless the study has this measure.
void check_measure(const Study& study, const std::string& name, const std::string& place) {
  check_known(place, "measure", name, names_of(study.measures));
}

/// Throws FileError unless the study has this axis. `others` are names that are accepted, too.
void check_axis(const Study& study, const std::string& name, const std::string& place,
                const std::vector<std::string>& others = {}) {
  std::vector<std::string> names = names_of(study.axes);
  append(names, others);
  if (names.empty()) throw FileError("{}: unknown axis '{}'; the study has none", place, name);
  check_known(place, "axis", name, names);
}

/// Throws FileError unless the study has a row of this name; of a pattern, at least one.
void check_row(const std::vector<StudyRow>& rows, const std::string& pattern,
               const std::string& place) {
  std::vector<std::string> names;
  for (const StudyRow& row : rows) {
    if (is_row(row, pattern)) return;
    names.push_back(row.name);
  }
  const std::string near = nearest(pattern, names);
  throw FileError("{}: no row '{}'; {}", place, pattern,
                  near.empty() ? fmt::format("the rows are {}", fmt::join(names, "; "))
                               : fmt::format("did you mean '{}'?", near));
}

void check_names(const Study& study) {
  const std::vector<StudyRow> rows = rows_of(study);
  for (const PublishedValues& published : study.published)
    for (const PublishedValues::Value& value : published.values) {
      check_measure(study, published.measure, value.place);
      check_row(rows, value.row, value.place);
    }
  for (const StudyAnswer& answer : study.answers)
    for (const StudyAnswer::Condition& condition : answer.conditions) {
      check_measure(study, condition.measure, condition.place);
      check_row(rows, condition.row, condition.place);
      if (condition.other_row.empty()) continue;
      check_measure(study, condition.other_measure, condition.place);
      check_row(rows, condition.other_row, condition.place);
    }
  for (const StudyFigure& figure : study.figures) {
    check_row(rows, figure.rows, figure.place);
    if (figure.against.empty() || figure.against == "measures") continue;
    check_axis(study, figure.against, figure.place, {"measures"});
    if (figure.measure.empty())
      throw FileError("{}: a figure against an axis needs a line measure = \"MEASURE\"",
                      figure.place);
    check_measure(study, figure.measure, figure.place);
  }
  if (!study.columns.empty()) check_axis(study, study.columns, study.columns_place);
}

/// Adds a table to a study. Returns false for an unknown table.
bool add_section(const Section& section, Study& study) {
  const bool has_argument = !section.argument.empty();
  if (section.name == "train" && !has_argument) {
    study.train = section.lines;
  } else if (section.name == "quick" && !has_argument) {
    study.quick = section.lines;
  } else if (section.name == "measure" && !has_argument) {
    for (const ConfigLine& line : section.lines)
      study.measures.push_back(parse_measure(line.name, line.value, line.place));
  } else if (section.name == "data" && !has_argument) {
    for (const ConfigLine& line : section.lines) study.data.emplace_back(line.name, line.value);
  } else if (section.name == "preset" && has_argument) {
    study.presets[section.argument] = section.lines;
  } else if (section.name == "axis" && has_argument) {
    study.axes.push_back(axis_in(section));
  } else if (section.name == "published" && has_argument) {
    study.published.push_back(published_in(section));
  } else if (section.name == "figure" && has_argument) {
    study.figures.push_back(figure_in(section));
  } else if (section.name == "answer" && has_argument) {
    study.answers.push_back(answer_in(section));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<StudyRow> rows_of(const Study& study) {
  std::vector<StudyRow> rows = {{"", {}, {}, ""}};
  for (const StudyAxis& axis : study.axes) {
    std::vector<StudyRow> longer;
    for (const StudyRow& row : rows)
      for (const StudyAxis::Value& value : axis.values) {
        StudyRow& next = longer.emplace_back(row);
        next.name += (row.name.empty() ? "" : " · ") + value.label;
        next.cells.push_back(value.label);
        next.settings.insert(next.settings.end(), value.settings.begin(), value.settings.end());
        next.place = value.place;
      }
    rows = std::move(longer);
  }
  if (study.axes.empty()) rows[0].name = "all";
  return rows;
}

Settings labels_of(const Study& study, const StudyRow& row) {
  Settings labels;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    labels.emplace_back(study.axes[i].name, row.cells[i]);
  return labels;
}

bool is_row(const StudyRow& row, const std::string& pattern) {
  return row.name == pattern || matches(pattern, row.name);
}

Study parse_study(const std::string& text, const std::string& path) {
  Study study;
  study.name = std::filesystem::path(path).stem().string();
  for (Section& section : read_sections(text, path)) {
    if (section.name.empty()) {
      if (const auto seeds = take_line(section.lines, "seeds")) study.seeds = seeds_at(*seeds);
      if (const auto columns = take_line(section.lines, "columns")) {
        study.columns = columns->value;
        study.columns_place = columns->place;
      }
      assign(section.lines, {"seeds", "columns"},
             {{"title", &study.title},
              {"question", &study.question},
              {"source", &study.source},
              {"setup", &study.setup},
              {"limitations", &study.limitations}});
    } else if (!add_section(section, study)) {
      throw FileError(
          "{}: unknown table [{}{}]; expected [train], [preset.NAME], [axis.NAME], [measure], "
          "[published.MEASURE], [figure.TITLE], [answer.SENTENCE], [quick] or [data]",
          section.place, section.name, section.argument.empty() ? "" : "." + section.argument);
    }
  }
  if (study.title.empty()) throw FileError("{}: expected a line title = \"...\"", path);
  constexpr std::size_t most_rows = 10'000;
  std::size_t rows = 1;
  for (const StudyAxis& axis : study.axes) {
    rows *= axis.values.size();
    if (rows > most_rows)
      throw FileError("{}: the axes have more than {} combinations", path, grouped(most_rows));
  }
  if (study.measures.empty())
    throw FileError("{}: expected a table [measure] with lines such as loss = \"last val_loss\"",
                    path);
  check_names(study);
  return study;
}

std::vector<Study> included_studies() {
  std::vector<Study> studies;
  for (const EmbeddedFile* file = study_files; file->path; ++file)
    studies.push_back(parse_study(file->text, file->path));
  std::sort(studies.begin(), studies.end(),
            [](const Study& a, const Study& b) { return a.name < b.name; });
  return studies;
}

Study find_study(const std::string& name) {
  if (ends_with(name, ".toml")) {
    Study study = parse_study(require_utf8(read_file(name), name), name);
    study.folder = std::filesystem::path(name).parent_path().string();
    if (study.folder.empty()) study.folder = ".";
    return study;
  }
  std::vector<std::string> names;
  for (Study& study : included_studies()) {
    if (study.name == name) return std::move(study);
    names.push_back(study.name);
  }
  if (exists(name))
    throw UsageError("study: {} isn't the name of a study; a study's file ends in .toml", name);
  if (exists(name + ".toml"))
    throw UsageError("unknown study '{0}'; did you mean the file {0}.toml?", name);
  refuse_unknown("study", name, names);
}

}  // namespace tapehead
