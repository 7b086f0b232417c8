#include "../web/page.hpp"
#include "../../../cli/attention/map_json.hpp"
#include "attention.hpp"

namespace tapehead {
namespace {

/// Rows of numbers, with null for NaN.
Json rows_json(const HeadWeights& weights) {
  Json rows = Json::array();
  for (auto row = weights.values.begin(); row < weights.values.end(); row += weights.keys)
    rows.push_back(std::vector<float>(row, row + weights.keys));
  return rows;
}

}  // namespace

std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image) {
  Json layers = Json::array();
  for (const AttentionMap& map : maps) {
    layers.push_back(axes_json(map));
    layers.back()["heads"] = heads_json(map, rows_json);
  }
  return web_page(title, {base_css, attention_css, images_css},
                  {{"title", visible(title)}, {"maps", std::move(layers)}, {"image", image}},
                  {elements_js, images_js, attention_js, attention_page_js});
}

}  // namespace tapehead
