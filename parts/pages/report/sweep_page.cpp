#include "../../../train/files/strings.hpp"
#include "../web/page.hpp"
#include "curves.hpp"
#include "page.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tapehead {
namespace {

constexpr std::size_t most_combinations = 8;  // maximum number of curves, one per colour
constexpr std::size_t most_points = 200;      // maximum number of points per curve

/// Returns about `most` evenly spaced elements of a list, including the last.
Json subsample(const std::vector<double>& values, std::size_t most) {
  const std::size_t step = values.size() / most + 1;
  Json result = Json::array();
  for (std::size_t i = 0; i < values.size(); i += step)
    result.push_back(static_cast<float>(values[i]));
  if (!values.empty() && (values.size() - 1) % step != 0)
    result.push_back(static_cast<float>(values.back()));
  return result;
}

Json band_json(const Band& band, std::size_t combination) {
  return {{"combination", combination},
          {"chart", band.key == "val_loss" ? "Validation loss"
                    : band.key == "loss"   ? "Training loss"
                                           : band.chart},
          {"unit", band.unit},
          {"steps", subsample({band.steps.begin(), band.steps.end()}, most_points)},
          {"values", subsample(band.mean, most_points)},
          {"low", subsample(band.low, most_points)},
          {"high", subsample(band.high, most_points)}};
}

/// Returns the bands of a combination's runs; none if a run's metrics are missing or damaged.
std::vector<Band> bands_of(const std::string& folder, const Json& runs) {
  std::vector<Metrics> all;
  try {
    for (const Json& run : runs.items())
      all.push_back(read_metrics(RunFolder::open(folder + "/" + run["folder"].string()), false));
  } catch (const FileError&) {
    return {};
  }
  return bands(all);
}

Json curves_of(const Json& sweep) {
  Json curves = Json::array();
  const Json::Array& order = sweep["ranking"].items();
  for (std::size_t i = 0; i < std::min(order.size(), most_combinations); ++i) {
    const auto combination = static_cast<std::size_t>(order[i].integer().value_or(0));
    const Json& runs = sweep["runs"].items()[combination];
    for (const Band& band : bands_of(sweep["folder"].string(), runs))
      curves.push_back(band_json(band, combination));
  }
  return curves;
}

/// Returns the runs of each combination, and for each run whether it has a page to link to.
Json runs_of(const Json& sweep) {
  Json all = Json::array();
  for (const Json& runs : sweep["runs"].items()) {
    Json some = Json::array();
    for (Json run : runs.items()) {
      std::error_code ignored;
      const std::string page =
          sweep["folder"].string() + "/" + run["folder"].string() + "/report.html";
      run["has_page"] = std::filesystem::exists(page, ignored);
      some.push_back(std::move(run));
    }
    all.push_back(std::move(some));
  }
  return all;
}

}  // namespace

std::string sweep_page(const Json& sweep) {
  Json shown = sweep;
  shown["curves"] = curves_of(sweep);
  shown["runs"] = runs_of(sweep);
  const std::string folder = visible(sweep["folder"].string());
  shown["folder"] = folder;
  return web_page(
      fmt::format("{} · {}", folder, sweep["task"].string()),
      {"base.css", "charts.css", "report.css", "sweep.css"}, {{"sweep", shown}},
      with_words({"sections.js", "axes.js", "view.js", "charts.js", "lengths.js", "sweep.js"}));
}

}  // namespace tapehead
