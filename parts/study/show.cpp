#include "../../core/numerics.hpp"
#include "../pages/web/page.hpp"
#include "results.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using CellRows = std::vector<std::vector<std::string>>;

std::string runs_text(const StudyResults& results) {
  const std::size_t count = results.plan.runs.size();
  return fmt::format("{}: {}, {} each", plural(count, "run"),
                     plural(results.plan.rows.size(), "row"), plural(results.plan.seeds, "seed"));
}

std::string skipped_text(const StudyResults& results) {
  if (results.plan.skipped.empty()) return "";
  return fmt::format("skipped, because the data is missing: {}; give its folder with --data",
                     fmt::join(results.plan.skipped, "; "));
}

/// Returns the published values next to the measured ones; the first row has the headings.
CellRows comparison_table(const StudyResults& results) {
  CellRows rows = {{"row", "measure", "measured", "published", "tolerance", ""}};
  for (const StudyComparison& one : comparisons(results)) {
    const auto& measures = results.study.measures;
    const auto measure = std::find_if(measures.begin(), measures.end(),
                                      [&](const auto& each) { return each.name == one.measure; });
    rows.push_back({one.row, one.measure, shown_value(*measure, one.measured),
                    shown_value(*measure, one.published), shown_value(*measure, one.tolerance),
                    one.agrees() ? "agrees" : "differs"});
  }
  return rows;
}

std::vector<std::string> sources_of(const StudyResults& results) {
  std::vector<std::string> sources;
  for (const PublishedValues& published : results.study.published)
    if (std::find(sources.begin(), sources.end(), published.source) == sources.end())
      sources.push_back(published.source);
  return sources;
}

std::string table_text(const CellRows& rows, std::size_t texts, const Terminal& terminal) {
  std::vector<Table::Align> align(rows[0].size(), Table::Align::right);
  std::fill(align.begin(), align.begin() + static_cast<std::ptrdiff_t>(texts), Table::Align::left);
  Table table(align);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(visible(cell));
    table.add(cells);
  }
  return table.text(terminal.width);
}

std::string markdown_table(const CellRows& rows, std::size_t texts) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < rows[0].size(); ++column)
      text += column < texts ? "---|" : "---:|";
    text += '\n';
  }
  return text;
}

constexpr const char* too_quick =
    "These runs of --quick only show that the study works; they support no answer.";

/// Returns the sentences that the runs support, and those that they don't, with the reasons.
std::vector<std::string> sentences(const StudyResults& results) {
  if (results.quick) return {too_quick};
  std::vector<std::string> all;
  for (const StudyConclusion& one : conclusions(results))
    all.push_back(one.why.empty()
                      ? one.text
                      : fmt::format("Not supported by these runs: {} ({})", one.text, one.why));
  return all;
}

std::string command_of(const StudyResults& results) {
  const Study& study = results.study;
  return fmt::format("tapehead study {}{}", study.name, study.folder.empty() ? "" : ".toml");
}

/// Returns a value as JSON: null if it is missing, "never" if it is infinite.
Json value_json(double value) {
  if (std::isinf(value)) return "never";
  return std::isfinite(value) ? Json(value) : Json();
}

Json runs_json(const StudyResults& results, std::size_t row) {
  Json runs = Json::array();
  for (const StudyRun& run : results.runs[row]) {
    Json values = Json::array();
    for (const double value : run.values) values.push_back(value_json(value));
    Json one = {{"seed", run.seed},
                {"folder", run.folder},
                {"steps", run.steps},
                {"weight_hash", run.weight_hash},
                {"values", std::move(values)}};
    if (!run.diverged.empty()) one["diverged"] = run.diverged;
    runs.push_back(std::move(one));
  }
  return runs;
}

Json rows_json(const StudyResults& results) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    std::string options;
    for (const auto& [option, value] : results.plan.rows[row].settings)
      options += fmt::format("{}--{} {}", options.empty() ? "" : " ", option, value);
    rows.push_back({{"name", results.plan.rows[row].name},
                    {"options", options},
                    {"runs", runs_json(results, row)}});
  }
  return rows;
}

Json conclusions_json(const StudyResults& results) {
  Json all = Json::array();
  if (!results.quick)
    for (const StudyConclusion& one : conclusions(results))
      all.push_back({{"text", one.text}, {"supported", one.why.empty()}, {"why", one.why}});
  return all;
}

}  // namespace

std::vector<std::vector<std::string>> study_table(const StudyResults& results) {
  const Study& study = results.study;
  CellRows rows(1);
  for (const StudyAxis& axis : study.axes) rows[0].push_back(axis.name);
  if (study.axes.empty()) rows[0].emplace_back("");
  for (const StudyMeasure& measure : study.measures)
    rows[0].push_back(measure.name + (measure.percent ? ", %" : ""));
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    std::vector<std::string>& cells = rows.emplace_back(results.plan.rows[row].cells);
    if (study.axes.empty()) cells.emplace_back("all");
    for (std::size_t i = 0; i < study.measures.size(); ++i)
      cells.push_back(shown_values(study.measures[i], results.values(row, i)));
  }
  return rows;
}

std::string study_text(const StudyResults& results, const Terminal& terminal) {
  const Study& study = results.study;
  const std::size_t texts = std::max<std::size_t>(study.axes.size(), 1);
  std::string text = wrapped(study.title + (results.quick ? " (--quick)" : ""), terminal.width);
  if (!study.question.empty()) text += wrapped(study.question, terminal.width);
  text += '\n' + table_text(study_table(results), texts, terminal);
  if (results.plan.seeds > 1)
    text += wrapped(
        fmt::format("median over {} (range, if they differ)", plural(results.plan.seeds, "seed")),
        terminal.width);
  if (const std::string skipped = skipped_text(results); !skipped.empty())
    text += wrapped(skipped, terminal.width);
  if (const CellRows rows = comparison_table(results); !results.quick && rows.size() > 1)
    text +=
        '\n' + table_text(rows, 2, terminal) +
        wrapped(fmt::format("published: {}", fmt::join(sources_of(results), "; ")), terminal.width);
  text += '\n';
  for (const std::string& sentence : sentences(results)) text += wrapped(sentence, terminal.width);
  return text;
}

std::string study_markdown(const StudyResults& results) {
  std::string text =
      markdown_table(study_table(results), std::max<std::size_t>(results.study.axes.size(), 1));
  if (const CellRows rows = comparison_table(results); !results.quick && rows.size() > 1)
    text += '\n' + markdown_table(rows, 2);
  for (const std::string& sentence : sentences(results)) text += '\n' + sentence + '\n';
  return text;
}

Json study_json(const StudyResults& results) {
  const Study& study = results.study;
  Json measures = Json::array(), published = Json::array();
  for (const StudyMeasure& measure : study.measures)
    measures.push_back({{"name", measure.name}, {"what", measure.text}});
  if (!results.quick)
    for (const StudyComparison& one : comparisons(results))
      published.push_back({{"row", one.row},
                           {"measure", one.measure},
                           {"measured", value_json(one.measured)},
                           {"published", one.published},
                           {"tolerance", one.tolerance},
                           {"agrees", one.agrees()},
                           {"source", one.source}});
  return {{"name", study.name},
          {"title", study.title},
          {"question", study.question},
          {"quick", results.quick},
          {"version", TAPEHEAD_VERSION},
          {"numerics", numerics},
          {"measures", std::move(measures)},
          {"rows", rows_json(results)},
          {"skipped", results.plan.skipped},
          {"published", std::move(published)},
          {"answers", conclusions_json(results)},
          {"programs", results.programs},
          {"seconds", results.seconds()}};
}

std::string study_page(const StudyResults& results) {
  const Study& study = results.study;
  Json page = study_json(results);
  page["source"] = study.source;
  page["setup"] = study.setup;
  page["limitations"] = study.limitations;
  page["command"] = command_of(results);
  page["about"] = runs_text(results);
  page["skipped_text"] = skipped_text(results);
  page["seeds"] = results.plan.seeds;
  page["too_quick"] = results.quick ? too_quick : "";
  page["duration"] = duration(results.seconds());
  page["sources"] = sources_of(results);
  Json common = Json::array(), figures = Json::array();
  for (const ConfigLine& line : study.train) common.push_back(line.name + " " + line.value);
  page["common"] = std::move(common);
  const auto table = [](const CellRows& rows) {
    Json all = Json::array();
    for (const auto& row : rows) all.push_back(row);
    return all;
  };
  page["table"] = table(study_table(results));
  page["comparison"] = table(comparison_table(results));
  for (const auto& [name, chart] : study_charts(results))
    figures.push_back({{"title", chart.title}, {"name", name}, {"svg", to_svg(draw(chart))}});
  page["figures"] = std::move(figures);
  return web_page(study.title + " · study", {base_css, charts_css, report_css, study_css},
                  {{"study", page}}, with_words({sections_js, study_js}));
}

}  // namespace tapehead
