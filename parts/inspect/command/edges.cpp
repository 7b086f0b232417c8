#include "../../../cli/terminal/progress_line.hpp"
#include "../edges/scores.hpp"
#include "edge_input.hpp"
#include "experiment_input.hpp"

#include <functional>
#include <numeric>

namespace tapehead {

Document edges_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  auto [trial, notes] = edge_input(run, asked, EdgeMetric::logit, terminal);
  const EdgeGraph& graph = trial.graph;
  const Index steps = asked.steps < 0 ? 8 : asked.steps;
  ProgressLine line(terminal, "differentiating");
  const EdgeAttribution found = attribute_edges(trial, steps, std::ref(line));
  line.clear();
  const std::vector<double>& scores = steps > 0 ? found.integrated : found.gradients;
  std::vector<std::size_t> all(scores.size());
  std::iota(all.begin(), all.end(), std::size_t{0});

  Document document;
  document.title = fmt::format("Edge attribution · step {}", run.steps);
  document.notes = notes;
  const bool has_gradient = !trial.is_distance();
  if (has_gradient)
    document.notes.emplace_back(
        "Gradient: the estimated change of the metric if only this edge is replaced.");
  if (steps > 0)
    document.notes.push_back(fmt::format(
        "Integrated: the mean gradient at {} mixtures of all outputs with their replacements. The "
        "sum over all edges is {:.4f}; replacing all edges changes the metric by {:.4f}.",
        steps, std::accumulate(scores.begin(), scores.end(), 0.0), trial.none() - trial.whole()));
  const auto top = strongest_edges(all, scores, asked.top < 0 ? 20 : asked.top);
  append(document.notes, edge_count_note(top.size(), all.size()));
  const char* quantity = steps > 0 ? "integrated" : "gradient";
  document.graphs = {graph_of(graph, quantity, all, scores)};
  document.grids = edge_grid(graph, "Attribution of each edge", all, scores);
  Document::Table table{"Edges with the largest attribution", {text_column("edge")}, {}, 1};
  if (steps > 0) table.columns.push_back({"integrated"});
  if (has_gradient) table.columns.push_back({"gradient"});
  for (std::size_t e : top) {
    table.rows.push_back({graph.edge_name(graph.edges[e])});
    if (steps > 0) table.rows.back().emplace_back(found.integrated[e]);
    if (has_gradient) table.rows.back().emplace_back(found.gradients[e]);
  }
  document.tables = {table};
  document.numbers = edge_numbers(trial);
  return document;
}

}  // namespace tapehead
