#include "../../pages/web/page.hpp"
#include "document.hpp"

namespace tapehead {

std::string to_page(const Document& document) {
  Document shown = document;
  for (auto& grid : shown.grids)
    for (auto* texts : {&grid.rows, &grid.columns, &grid.texts})
      for (std::string& text : *texts) text = label(text);
  return web_page(document.title, {base_css, charts_css, report_css, inspect_css}, to_json(shown),
                  {elements_js, sections_js, axes_js, view_js, charts_js, inspect_js});
}

}  // namespace tapehead
