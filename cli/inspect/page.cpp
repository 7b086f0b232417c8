#include "../web/page.hpp"
#include "../web/web.hpp"
#include "document.hpp"

namespace tapehead {

std::string to_page(const Document& document) {
  Json grids = Json::array(), tables = Json::array(), curves = Json::array();
  for (const auto& grid : document.grids)
    grids.push_back({{"title", grid.title},
                     {"down", grid.down},
                     {"across", grid.across},
                     {"rows", grid.rows},
                     {"columns", grid.columns},
                     {"values", grid.values},
                     {"texts", grid.texts},
                     {"strongest", grid.strongest()},
                     {"signed", grid.is_signed},
                     {"decimals", grid.decimals}});
  for (const auto& table : document.tables) {
    Json head = Json::array(), rows = Json::array();
    for (const auto& column : table.columns)
      head.push_back({{"name", column.name},
                      {"share", column.kind == Document::Column::Kind::share},
                      {"decimals", column.decimals}});
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const auto& cell : row)
        std::visit([&](const auto& value) { cells.push_back(value); }, cell);
      rows.push_back(std::move(cells));
    }
    tables.push_back(
        {{"title", table.title}, {"head", std::move(head)}, {"rows", std::move(rows)}});
  }
  for (const auto& each : document.curves) {
    Json lines = Json::array();
    for (const auto& line : each.lines)
      lines.push_back({{"name", line.name}, {"steps", each.steps}, {"values", line.values}});
    curves.push_back(
        {{"title", each.title}, {"quantity", each.quantity}, {"lines", std::move(lines)}});
  }
  return web_page(document.title, {base_css, charts_css, report_css, inspect_css},
                  {{"title", visible(document.title)},
                   {"notes", document.notes},
                   {"grids", std::move(grids)},
                   {"tables", std::move(tables)},
                   {"curves", std::move(curves)}},
                  {elements_js, sections_js, charts_js, inspect_js});
}

}  // namespace tapehead
