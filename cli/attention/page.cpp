#include "../web/html_page.hpp"
#include "formats.hpp"
#include "page_parts.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tapehead {
namespace {

/// With floats for its numbers, which are then written with no more digits than they need.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                  std::int64_t, std::uint64_t, float>;

Json head_json(const AttentionMap& map, Index i) {
  const HeadWeights weights = map.head(i);
  const Pattern pattern = find_pattern(weights);
  Json rows = Json::array();  // NaN becomes null
  for (Index query = 0; query < weights.queries; ++query) {
    Json row = Json::array();
    for (Index key = 0; key < weights.keys; ++key)
      row.push_back(static_cast<float>(weights(query, key)));
    rows.push_back(std::move(row));
  }
  return {{"head", map.first_head + i},
          {"pattern", pattern.name},
          {"score", static_cast<float>(pattern.score)},
          {"weights", std::move(rows)}};
}

/// `first` is the place of query 0 among the tokens, without the extra keys.
Json map_json(const AttentionMap& map) {
  Json heads = Json::array();
  for (Index i = 0; i < map.heads(); ++i) heads.push_back(head_json(map, i));
  const Index behind = map.weights.dim(2) - map.weights.dim(1);
  return {{"layer", map.layer},
          {"name", map.name},
          {"module", map.module},
          {"queries", labels(map.queries)},
          {"keys", labels(map.keys)},
          {"extra", map.extra},
          {"first", map.cross ? 0 : behind - map.extra},
          {"heads", std::move(heads)}};
}

}  // namespace

std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title) {
  Json data = {{"title", visible(title)}, {"maps", Json::array()}};
  for (const AttentionMap& map : maps) data["maps"].push_back(map_json(map));
  return html_page(title, page_style, page_body, data.dump(), page_script);
}

}  // namespace tapehead
