#include "bands.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

/// One quantity of several runs.
Band band_of(const std::vector<const Curve*>& curves) {
  const Curve& first = *curves[0];
  Band band{first.key, first.chart, first.unit, first.name, {}, {}, {}, {}};
  std::map<Index, std::vector<double>> values;  // by step
  for (const Curve* curve : curves)
    for (std::size_t i = 0; i < curve->steps.size(); ++i)
      values[curve->steps[i]].push_back(curve->values[i]);
  for (const auto& [step, all] : values) {
    if (all.size() < curves.size()) continue;  // a mean over others would jump
    double mean = 0;
    for (const double value : all) mean += value / static_cast<double>(all.size());
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    band.steps.push_back(step);
    band.mean.push_back(mean);
    band.low.push_back(*low);
    band.high.push_back(*high);
  }
  return band;
}

}  // namespace

std::vector<Band> bands(const std::vector<Metrics>& runs) {
  std::vector<Band> all;
  for (const char* key : {"val_loss", "exact_match", "loss"}) {
    std::vector<const Curve*> curves;
    for (const Metrics& run : runs)
      if (const Curve* curve = run.find(key)) curves.push_back(curve);
    if (curves.empty() || curves.size() < runs.size()) continue;
    if (Band band = band_of(curves); !band.steps.empty()) all.push_back(std::move(band));
  }
  return all;
}

}  // namespace tapehead
