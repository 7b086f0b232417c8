#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/config/options.hpp"
#include "../edges/scores.hpp"
#include "edge_input.hpp"
#include "experiment_input.hpp"

#include <functional>

namespace tapehead {
namespace {

/// Returns the edges of --from and --to. --to may name a head or one of its inputs.
std::vector<std::size_t> requested_edges(const EdgeGraph& graph, const InspectArguments& asked) {
  std::vector<std::string> writers, readers;
  for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i) writers.push_back(graph.nodes[i].name());
  for (std::size_t i = 0; i < graph.readers.size(); ++i) {
    const std::string node = graph.nodes[graph.readers[i].node].name();
    if (readers.empty() || !contains(readers, node)) readers.push_back(node);
    if (graph.reader_name(i) != node) readers.push_back(graph.reader_name(i));
  }
  if (!asked.from.empty()) require_known("--from", asked.from, writers);
  if (!asked.to.empty()) require_known("--to", asked.to, readers);
  std::vector<std::size_t> found;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    if (!asked.from.empty() && graph.nodes[edge.from].name() != asked.from) continue;
    if (!asked.to.empty() && graph.reader_name(edge.reader) != asked.to &&
        graph.nodes[graph.node_of(edge)].name() != asked.to)
      continue;
    found.push_back(e);
  }
  if (found.empty())
    throw UsageError(
        "no edge leads from {} to {}: a component reads the embedding and earlier layers, and an "
        "MLP also the heads of its layer",
        asked.from, asked.to);
  return found;
}

}  // namespace

Document path_document(const LoadedRun& run, const InspectArguments& asked,
                       const Terminal& terminal) {
  auto [trial, notes] = edge_input(run, asked, EdgeMetric::logit, terminal);
  const EdgeGraph& graph = trial.graph;
  const std::vector<std::size_t> edges = requested_edges(graph, asked);
  ProgressLine line(terminal, "patching");
  const std::vector<double> some = path_effects(trial, edges, std::ref(line));
  line.clear();
  std::vector<double> effects(graph.edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) effects[edges[i]] = some[i];

  Document document;
  document.title = fmt::format("Path patching · step {}", run.steps);
  document.notes = notes;
  document.notes.emplace_back(
      "Effect: the metric with only this edge replaced, minus the whole model's metric. Share: "
      "the effect as a fraction of the effect of replacing all edges.");
  const auto top = strongest_edges(edges, effects, asked.top < 0 ? 20 : asked.top);
  append(document.notes, edge_count_note(top.size(), edges.size()));
  document.graphs = {graph_of(graph, "effect", edges, effects)};
  document.grids = edge_grid(graph, "Effect of each edge", edges, effects);
  Document::Table table{"Edges with the largest effect",
                        {text_column("edge"), {"effect"}, {"share", Document::Column::Kind::share}},
                        {},
                        1};
  for (std::size_t e : top)
    table.rows.push_back(
        {graph.edge_name(graph.edges[e]), effects[e], effects[e] / (trial.none() - trial.whole())});
  document.tables = {table};
  document.numbers = edge_numbers(trial);
  return document;
}

}  // namespace tapehead
