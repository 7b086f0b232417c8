#include "../../../train/runs/files.hpp"
#include "../../sweep/axes.hpp"
#include "../../sweep/results.hpp"
#include "../report/curves.hpp"
#include "chart.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

/// The file of the results, by what they measure.
std::string results_name(const Measure& measure) {
  return measure.is_share ? "results-exact-match" : "results-loss";
}

DotChart results_chart(const Sweep& sweep, const Measure& measure) {
  DotChart chart{measure.name, measure.name, {}};
  for (const SweepRow& row : sweep.rows) {
    const Spread spread = tapehead::spread(row, measure);
    chart.rows.push_back({in_words(row.settings), spread.values, spread.median});
  }
  return chart;
}

std::vector<Band> bands_of_row(const SweepRow& row, const Sweep& sweep, const std::string& folder) {
  std::vector<Metrics> runs;
  for (std::size_t i = 0; i < row.outcomes.size(); ++i)
    runs.push_back(read_metrics(
        RunFolder::open(folder + "/" + run_name(row.settings, sweep.first_seed + i)), false));
  return bands(runs);
}

}  // namespace

bool is_sweep(const std::string& folder) { return exists(sweep_file(folder)); }

std::vector<Figure> figures_of_sweep(const std::string& folder) {
  constexpr std::size_t most = 8;
  const Sweep sweep = read_sweep(folder);
  std::vector<Figure> figures;
  for (const Measure& measure : measures(sweep.has_answers, sweep.by)) {
    const DotChart chart = results_chart(sweep, measure);
    figures.push_back({results_name(measure), draw(chart), csv_of(chart)});
  }
  const std::vector<Index> order = ranking(sweep);
  const std::pair<const char*, LineChart> named[] = {
      {"val_loss", {"Held-out loss", "steps", "held-out loss", false, false, {}}},
      {"exact_match", {"Exact match", "steps", "exact match", false, false, {}}},
      {"loss", {"Training loss", "steps", "training loss", false, false, {}}}};
  std::map<std::string, LineChart> charts(std::begin(named), std::end(named));
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    const SweepRow& row = sweep.rows.at(static_cast<std::size_t>(order[i]));
    for (const Band& band : bands_of_row(row, sweep, folder)) {
      ChartLine line{in_words(row.settings), {band.steps.begin(), band.steps.end()}, band.mean};
      if (row.outcomes.size() > 1) {
        line.low = band.low;
        line.high = band.high;
      }
      charts[band.key].lines.push_back(std::move(line));
    }
  }
  for (const auto& [key, file] :
       {std::pair("val_loss", "held-out-loss"), {"exact_match", "exact-match"}, {"loss", "loss"}})
    if (const LineChart& chart = charts[key]; !chart.lines.empty())
      figures.push_back({file, draw(chart), csv_of(chart)});
  return figures;
}

}  // namespace tapehead
