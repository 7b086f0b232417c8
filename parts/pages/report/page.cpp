#include "page.hpp"
#include "../web/web.hpp"

#include <fmt/format.h>

namespace tapehead {

std::string report_page(const Json& runs, int refresh) {
  const auto name = runs.items()[0]["name"].string();
  const std::string title = runs.items().size() == 1
                                ? fmt::format("{} · {}", name, runs.items()[0]["task"].string())
                                : fmt::format("{} and {} more", name, runs.items().size() - 1);
  return web_page(
      title,
      {base_css, attention_css, charts_css, examples_css, histograms_css, images_css, report_css},
      {{"runs", runs}},
      {elements_js, sections_js, images_js, attention_js, checkpoints_js, axes_js, view_js,
       charts_js, examples_js, histograms_js, report_js},
      refresh);
}

}  // namespace tapehead
