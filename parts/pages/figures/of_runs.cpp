#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/commands/commands.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../report/curves.hpp"
#include "chart.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

/// Held-out loss -> held-out-loss.
std::string file_name(const std::string& title) {
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

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// The maps of one example, a figure for each head.
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
      figures.push_back({file_name("attention " + shown.title), draw(shown), csv_of(shown)});
    }
}

}  // namespace

std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured) {
  std::vector<std::pair<std::string, LineChart>> charts;  // by their names, in their order
  for (const std::string& path : paths) {
    Metrics metrics = read_metrics(RunFolder::open(path), true);
    add_at_checkpoints(metrics, path, session.registry, measured);
    for (const Curve& curve : metrics.curves) {
      auto found = std::find_if(charts.begin(), charts.end(),
                                [&](const auto& chart) { return chart.first == curve.chart; });
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
    figures.push_back({file_name(name), draw(chart), csv_of(chart)});
  if (paths.size() == 1 && RunFolder::open(paths[0]).has_checkpoint())
    add_maps(load_run(paths[0], session.registry), figures);
  if (figures.empty()) throw FileError("{}: no curves yet, and no checkpoint", paths[0]);
  return figures;
}

}  // namespace tapehead
