#include "../../core/numerics.hpp"
#include "../pages/web/page.hpp"
#include "results.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tapehead {
namespace {

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

std::vector<std::string> sources_of(const StudyResults& results) {
  std::vector<std::string> sources;
  for (const PublishedValues& published : results.study.published)
    if (std::find(sources.begin(), sources.end(), published.source) == sources.end())
      sources.push_back(published.source);
  return sources;
}

std::string table_text(const StudyTable& given, const Terminal& terminal) {
  std::vector<Table::Align> align(given.rows[0].size(), Table::Align::right);
  std::fill_n(align.begin(), given.texts, Table::Align::left);
  Table table(align);
  for (const auto& row : given.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(visible(cell));
    table.add(cells);
  }
  const std::string title = given.title.empty() ? "" : wrapped(given.title, terminal.width);
  return title + table.text(terminal.width);
}

std::string markdown_table(const StudyTable& table) {
  std::string text = table.title.empty() ? "" : table.title + "\n\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(table.rows[i], " | "));
    if (i > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < table.rows[0].size(); ++column)
      text += column < table.texts ? "---|" : "---:|";
    text += '\n';
  }
  return text;
}

/// Returns the comparison with published values. Returns none with --quick, without published
/// values, or with an axis as columns, because the results tables then contain them.
std::optional<StudyTable> printed_comparison(const StudyResults& results) {
  if (results.quick || !results.study.columns.empty()) return {};
  StudyTable table = comparison_table(results);
  if (table.rows.size() < 2) return {};
  return table;
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

std::string study_text(const StudyResults& results, const Terminal& terminal) {
  const Study& study = results.study;
  std::string text = wrapped(study.title + (results.quick ? " (--quick)" : ""), terminal.width);
  if (!study.question.empty()) text += wrapped(study.question, terminal.width);
  for (const StudyTable& table : result_tables(results)) text += '\n' + table_text(table, terminal);
  if (results.plan.seeds > 1)
    text += wrapped(
        fmt::format("median over {} (range, if they differ)", plural(results.plan.seeds, "seed")),
        terminal.width);
  if (const std::string skipped = skipped_text(results); !skipped.empty())
    text += wrapped(skipped, terminal.width);
  if (const auto compared = printed_comparison(results))
    text += '\n' + table_text(*compared, terminal);
  if (!results.quick && !study.published.empty())
    text +=
        wrapped(fmt::format("published: {}", fmt::join(sources_of(results), "; ")), terminal.width);
  text += '\n';
  for (const std::string& sentence : sentences(results)) text += wrapped(sentence, terminal.width);
  return text;
}

std::string study_markdown(const StudyResults& results) {
  std::string text;
  for (const StudyTable& table : result_tables(results))
    text += (text.empty() ? "" : "\n") + markdown_table(table);
  if (const auto compared = printed_comparison(results)) text += '\n' + markdown_table(*compared);
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

std::string study_page(const StudyResults& results, const StudyCharts& charts) {
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
  const auto as_json = [](const StudyTable& table) {
    Json rows = Json::array();
    for (const auto& row : table.rows) rows.push_back(row);
    return Json{{"title", table.title}, {"rows", std::move(rows)}};
  };
  Json tables = Json::array();
  for (const StudyTable& table : result_tables(results)) tables.push_back(as_json(table));
  page["tables"] = std::move(tables);
  page["comparison"] = as_json(comparison_table(results));
  for (const auto& [name, chart] : charts)
    figures.push_back({{"title", chart.title}, {"name", name}, {"svg", to_svg(draw(chart))}});
  page["figures"] = std::move(figures);
  return web_page(study.title + " · study", {"base.css", "charts.css", "report.css", "study.css"},
                  {{"study", page}}, with_words({"sections.js", "study.js"}));
}

}  // namespace tapehead
