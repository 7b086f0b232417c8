#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/commands/commands.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../train/files/files.hpp"
#include "../../sweep/axes.hpp"
#include "../../sweep/results.hpp"
#include "../report/curves.hpp"
#include "chart.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Adds the attention maps of the first validation example, one figure for each head.
void add_maps(const LoadedRun& run, std::vector<Figure>& figures) {
  constexpr std::size_t most = 16;
  std::size_t count = 0;
  for (const AttentionMap& map :
       attention_maps(*run.model, *run.task, held_out_example(*run.task, 0)))
    for (Index head = 0; head < map.heads() && count < most; ++head, ++count) {
      HeatMap shown{map.title(head), "keys", "queries", labels(map.keys), labels(map.queries), {}};
      const Tensor weights = cast(map.weights, DType::f64);
      const Index size = weights.dim(1) * weights.dim(2);
      const double* first = weights.data<double>() + head * size;
      shown.values.assign(first, first + size);
      figures.push_back({figure_name("attention " + shown.title), draw(shown), csv_of(shown)});
    }
}

/// Returns the file name of the figure with a measure's results.
std::string results_name(const Measure& measure) {
  return measure.is_share ? "results-exact-match" : "results-loss";
}

DotChart results_chart(const Sweep& sweep, const Measure& measure) {
  DotChart chart{measure.name, measure.name, {}};
  for (const SweepRow& row : sweep.rows) {
    const Spread spread = tapehead::spread(row, measure);
    chart.rows.push_back({settings_text(row.settings), spread.values, spread.median});
  }
  return chart;
}

/// Returns the folders of a combination's runs, one per seed.
std::vector<std::string> folders_of(const SweepRow& row, const Sweep& sweep,
                                    const std::string& folder) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < row.outcomes.size(); ++i)
    folders.push_back(folder + "/" + run_name(row.settings, sweep.first_seed + i));
  return folders;
}

std::vector<Band> bands_of_row(const SweepRow& row, const Sweep& sweep, const std::string& folder) {
  std::vector<Metrics> runs;
  for (const std::string& run : folders_of(row, sweep, folder))
    runs.push_back(read_metrics(RunFolder::open(run), false));
  return bands(runs);
}

/// Adds the figure of accuracy by length, if any run has a curve.
void add_by_length(const std::vector<std::pair<std::string, LengthCurve>>& curves,
                   std::vector<Figure>& figures) {
  LineChart chart;
  double trained = 0;
  for (const auto& [name, curve] : curves) {
    if (curve.empty()) continue;
    chart.title = chart.y_name = curve.quantity;
    chart.x_name = curve.option;
    trained = std::max(trained, curve.trained);
    chart.lines.push_back(
        {curves.size() > 1 ? name : "", curve.lengths, curve.values, curve.low, curve.high});
  }
  if (chart.lines.empty()) return;
  chart.marked.emplace_back(trained, "longest in training");
  figures.push_back({figure_name(chart.title), draw(chart), csv_of(chart)});
}

}  // namespace

std::string figure_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_letter || (c >= 'A' && c <= 'Z'))
      name += static_cast<char>(is_letter ? c : c - 'A' + 'a');
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "figure" : name;
}

std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured, const std::string& lengths) {
  std::vector<std::pair<std::string, LineChart>> charts;  // (name, chart), in the report's order
  std::vector<std::pair<std::string, LengthCurve>> by_length;
  for (const std::string& path : paths) {
    Metrics metrics = read_metrics(RunFolder::open(path), true);
    add_at_checkpoints(metrics, path, session.registry, measured);
    if (RunFolder::open(path).has_checkpoint())
      by_length.emplace_back(last_part(path), length_curve(path, lengths, session.registry));
    for (const Curve& curve : metrics.curves) {
      auto found = find_if(charts, [&](const auto& chart) { return chart.first == curve.chart; });
      if (found == charts.end()) {
        const std::string unit = curve.unit.empty() ? "" : " (" + curve.unit + ")";
        charts.push_back(
            {curve.chart, {curve.chart, "steps", curve.chart + unit, false, false, {}}});
        found = charts.end() - 1;
      }
      std::string name = curve.name;
      if (paths.size() > 1) name = last_part(path) + (name.empty() ? "" : " · ") + name;
      found->second.lines.push_back({name, {curve.steps.begin(), curve.steps.end()}, curve.values});
    }
  }
  std::vector<Figure> figures;
  for (const auto& [name, chart] : charts)
    figures.push_back({figure_name(name), draw(chart), csv_of(chart)});
  add_by_length(by_length, figures);
  if (paths.size() == 1 && RunFolder::open(paths[0]).has_checkpoint())
    add_maps(load_run(paths[0], session.registry), figures);
  if (figures.empty()) throw FileError("{}: no curves and no checkpoint yet", paths[0]);
  return figures;
}

bool is_sweep(const std::string& folder) { return exists(sweep_file(folder)); }

std::vector<Figure> figures_of_sweep(const std::string& folder, const Registry& registry,
                                     const std::string& lengths) {
  constexpr std::size_t most = 8;
  const Sweep sweep = read_sweep(folder);
  std::vector<Figure> figures;
  for (const Measure& measure : measures(sweep.has_answers, sweep.by)) {
    const DotChart chart = results_chart(sweep, measure);
    figures.push_back({results_name(measure), draw(chart), csv_of(chart)});
  }
  const std::vector<Index> order = ranking(sweep);
  const std::pair<const char*, LineChart> named[] = {
      {"val_loss", {"Validation loss", "steps", "validation loss", false, false, {}}},
      {"exact_match", {"Exact match", "steps", "exact match", false, false, {}}},
      {"loss", {"Training loss", "steps", "training loss", false, false, {}}}};
  std::map<std::string, LineChart> charts(std::begin(named), std::end(named));
  std::vector<std::pair<std::string, LengthCurve>> by_length;
  const bool is_known = lengths.empty() && !lengths_of(sweep).empty();
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    const SweepRow& row = sweep.rows.at(static_cast<std::size_t>(order[i]));
    by_length.emplace_back(
        settings_text(row.settings),
        is_known ? row.by_length : length_curve_of(row, sweep, folder, lengths, registry));
    for (const Band& band : bands_of_row(row, sweep, folder)) {
      ChartLine line{
          settings_text(row.settings), {band.steps.begin(), band.steps.end()}, band.mean};
      if (row.outcomes.size() > 1) {
        line.low = band.low;
        line.high = band.high;
      }
      charts[band.key].lines.push_back(std::move(line));
    }
  }
  for (const auto& [key, file] :
       {std::pair("val_loss", "validation-loss"), {"exact_match", "exact-match"}, {"loss", "loss"}})
    if (const LineChart& chart = charts[key]; !chart.lines.empty())
      figures.push_back({file, draw(chart), csv_of(chart)});
  add_by_length(by_length, figures);
  return figures;
}

}  // namespace tapehead
