#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/config/choices.hpp"
#include "../../../train/config/options.hpp"
#include "../edges/pruning.hpp"
#include "edge_input.hpp"
#include "experiment_input.hpp"

#include <functional>

namespace tapehead {
namespace {

constexpr Choice<PruneBy> methods[] = {{"acdc", PruneBy::acdc},
                                       {"attribution", PruneBy::attribution}};

}  // namespace

Document circuit_document(const LoadedRun& run, const InspectArguments& asked,
                          const Terminal& terminal) {
  const std::string method = asked.method.empty() ? "acdc" : asked.method;
  const PruneBy by = require_named("--method", method, methods).value;
  if (asked.steps >= 0 && method == "acdc")
    throw UsageError(
        "--steps has no effect with --method acdc; remove it, or use --method "
        "attribution");
  if (asked.threshold < 0)
    throw UsageError("--threshold must be at least 0, not {}", asked.threshold);
  auto [trial, notes] = edge_input(run, asked, EdgeMetric::kl, terminal);
  const EdgeGraph& graph = trial.graph;
  ProgressLine line(terminal, "pruning");
  const PrunedCircuit found =
      prune(trial, by, asked.threshold, asked.steps < 0 ? 8 : asked.steps, std::ref(line));
  line.clear();
  const std::vector<std::size_t> kept = found.kept_edges();

  Document document;
  document.title = fmt::format("Circuit · step {}", run.steps);
  document.notes = notes;
  document.notes.push_back(fmt::format("The circuit has {} of {} edges; its metric is {:.4f}.",
                                       kept.size(), graph.edges.size(), found.circuit));
  document.notes.push_back(
      fmt::format("Faithfulness {:.4f}, completeness {:.4f}, minimality {:.4f}.",
                  found.faithfulness, found.completeness, found.minimality));
  const auto top = strongest_edges(kept, found.scores, asked.top < 0 ? 20 : asked.top);
  append(document.notes, edge_count_note(top.size(), kept.size()));
  document.graphs = {graph_of(graph, "score", kept, found.scores)};
  Document::Table table{
      "Edges of the circuit", {text_column("edge"), {"score"}, {"removal costs"}}, {}, 1};
  for (std::size_t e : top)
    table.rows.push_back({graph.edge_name(graph.edges[e]), found.scores[e], found.costs[e]});
  document.tables = {table};
  document.numbers = edge_numbers(trial);
  document.numbers["circuit"] = found.circuit;
  document.numbers["edges"] = static_cast<double>(kept.size());
  document.numbers["all edges"] = static_cast<double>(graph.edges.size());
  document.numbers["faithfulness"] = found.faithfulness;
  document.numbers["completeness"] = found.completeness;
  document.numbers["minimality"] = found.minimality;
  return document;
}

}  // namespace tapehead
