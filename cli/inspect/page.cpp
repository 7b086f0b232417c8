#include "../web/page.hpp"
#include "../web/web.hpp"
#include "document.hpp"

namespace tapehead {

std::string to_page(const Document& document) {
  return web_page(document.title, {base_css, charts_css, report_css, inspect_css},
                  to_json(document), {elements_js, sections_js, charts_js, inspect_js});
}

}  // namespace tapehead
