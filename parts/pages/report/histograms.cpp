#include "../../../train/files/json.hpp"
#include "../../../train/files/strings.hpp"
#include "page.hpp"

#include <algorithm>

namespace tapehead {
namespace {

struct Series {
  std::string name;
  Json steps = Json::array(), from = Json::array(), to = Json::array(), counts = Json::array();
};

void add(const Json& step, const Json& tensors, std::vector<Series>& all) {
  for (const auto& [name, histogram] : tensors.members()) {
    if (histogram.is_null()) continue;
    auto series = find_named(all, name);
    if (series == all.end()) series = all.insert(all.end(), Series{name});
    series->steps.push_back(step);
    series->from.push_back(histogram["from"]);
    series->to.push_back(histogram["to"]);
    series->counts.push_back(histogram["counts"]);
  }
}

Json to_json(const std::vector<Series>& all) {
  Json list = Json::array();
  for (const Series& series : all)
    list.push_back({{"name", visible(series.name)},
                    {"steps", series.steps},
                    {"from", series.from},
                    {"to", series.to},
                    {"counts", series.counts}});
  return list;
}

}  // namespace

Json histograms_json(const std::vector<Json>& recorded, std::size_t most) {
  std::vector<std::pair<std::string, std::vector<Series>>> kinds;
  const std::size_t count = std::min(most, recorded.size());
  for (std::size_t i = 0; i < count; ++i) {
    // Selects evenly spaced lines, including the first and the last.
    const Json& line = recorded[count > 1 ? i * (recorded.size() - 1) / (count - 1) : 0];
    for (const auto& [kind, tensors] : line["histograms"].members()) {
      auto known = find_if(kinds, [kind = kind](const auto& each) { return each.first == kind; });
      if (known == kinds.end()) known = kinds.insert(kinds.end(), {kind, {}});
      add(line["step"], tensors, known->second);
    }
  }
  Json document;
  for (const auto& [kind, all] : kinds) document[kind] = to_json(all);
  return document;
}

}  // namespace tapehead
