#include "document.hpp"
#include "../../../core/error.hpp"
#include "../../../train/files/json.hpp"
#include "../../pages/web/page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

/// Returns the tracked number of the row with this name in table i; NaN if there is none.
double number_of(const Document& document, std::size_t i, const std::string& name) {
  if (i < document.tables.size())
    for (const auto& row : document.tables[i].rows)
      if (std::get<std::string>(row[0]) == name)
        return std::get<double>(row[document.tables[i].tracked_column]);
  return std::numeric_limits<double>::quiet_NaN();
}

Json to_json(const Document::Table& table) {
  Json rows = Json::array(), shares = Json::array();
  for (const auto& column : table.columns)
    if (column.kind == Document::Column::Kind::share) shares.push_back(column.name);
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      std::visit([&](const auto& cell) { object[table.columns[i].name] = cell; }, row[i]);
    rows.push_back(std::move(object));
  }
  return {{"title", table.title}, {"shares", std::move(shares)}, {"rows", std::move(rows)}};
}

Json to_json(const Document::Grid& grid) {
  const std::size_t width = grid.columns.size();
  const auto in_rows = [&](const auto& all) {
    Json rows = Json::array();
    for (std::size_t first = 0; first < all.size(); first += width)
      rows.push_back(std::vector(all.begin() + static_cast<Index>(first),
                                 all.begin() + static_cast<Index>(first + width)));
    return rows;
  };
  Json json = {{"title", grid.title},     {"down", grid.down},
               {"across", grid.across},   {"rows", grid.rows},
               {"columns", grid.columns}, {"values", in_rows(grid.values)},
               {"full", grid.strongest()}};
  if (!grid.texts.empty()) json["texts"] = in_rows(grid.texts);
  return json;
}

Json to_json(const Document::Graph& graph) {
  Json nodes = Json::array(), edges = Json::array();
  for (const auto& node : graph.nodes)
    nodes.push_back(Json{{"name", node.name}, {"level", node.level}});
  for (const auto& edge : graph.edges)
    edges.push_back(
        Json{{"from", edge.from}, {"to", edge.to}, {"input", edge.input}, {"score", edge.score}});
  return {{"title", graph.title},
          {"quantity", graph.quantity},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

Json to_json(const Document::Curves& curves) {
  Json lines = Json::object();
  for (const auto& line : curves.lines) lines[line.name] = line.values;
  return {{"title", curves.title},
          {"quantity", curves.quantity},
          {"steps", curves.steps},
          {"lines", std::move(lines)}};
}

template <class Part>
Json all_json(const std::vector<Part>& parts) {
  Json all = Json::array();
  for (const Part& part : parts) all.push_back(to_json(part));
  return all;
}

}  // namespace

double Document::Grid::strongest() const {
  if (full > 0) return full;
  double most = 0;
  for (double value : values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  return most > 0 ? most : 1;
}

std::vector<Document::Curves> checkpoint_curves(const std::vector<Document>& documents,
                                                const std::vector<Index>& steps) {
  std::vector<Document::Curves> all;
  const Document& last = documents.back();
  for (std::size_t i = 0; i < last.tables.size(); ++i) {
    const Document::Table& table = last.tables[i];
    if (table.tracked_column == 0) continue;
    Document::Curves curves{
        table.title + " over checkpoints", table.columns[table.tracked_column].name, steps, {}};
    for (const auto& row : table.rows) {
      const std::string& name = std::get<std::string>(row[0]);
      Document::Curves::Line line{name, {}};
      for (const Document& each : documents) line.values.push_back(number_of(each, i, name));
      curves.lines.push_back(std::move(line));
    }
    all.push_back(std::move(curves));
  }
  if (all.empty())
    throw UsageError("--checkpoints: this experiment has no number to track; remove --checkpoints");
  return all;
}

Json to_json(const Document& document) {
  Json json = {{"title", document.title},
               {"notes", document.notes},
               {"grids", all_json(document.grids)},
               {"tables", all_json(document.tables)},
               {"curves", all_json(document.curves)}};
  if (!document.graphs.empty()) json["graphs"] = all_json(document.graphs);
  for (const auto& [name, number] : document.numbers) json["numbers"][name] = number;
  return json;
}

std::string to_page(const Document& document) {
  Document shown = document;
  for (auto& grid : shown.grids)
    for (auto* texts : {&grid.rows, &grid.columns, &grid.texts})
      for (std::string& text : *texts) text = label(text);
  return web_page(
      document.title, {"base.css", "charts.css", "report.css", "inspect.css"}, to_json(shown),
      with_words({"sections.js", "axes.js", "view.js", "charts.js", "circuit.js", "inspect.js"}));
}

}  // namespace tapehead
