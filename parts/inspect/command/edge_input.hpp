#pragma once
#include "../edges/trial.hpp"
#include "experiments.hpp"

namespace tapehead {

/// A trial with the sentences that describe its examples, metric and replacements.
struct EdgeInput {
  EdgeTrial trial;
  std::vector<std::string> notes;
};
/// Makes the trial of --examples or --clean and --corrupted, --by and --metric. Throws UsageError
/// if they contradict each other.
EdgeInput edge_input(const LoadedRun& run, const InspectArguments& asked, EdgeMetric standard,
                     const Terminal& terminal);

/// Returns the metric of the whole model and without edges.
std::map<std::string, double> edge_numbers(const EdgeTrial& trial);

/// Returns the graph with these scores; only the edges in `kept`.
Document::Graph graph_of(const EdgeGraph& graph, const std::string& quantity,
                         const std::vector<std::size_t>& kept, const std::vector<double>& scores);

/// Returns the first `most` of these edges in descending order of |score|; NaN comes first.
std::vector<std::size_t> strongest_edges(const std::vector<std::size_t>& edges,
                                         const std::vector<double>& scores, Index most);
/// Returns a note that names the number of edges in a table if it isn't all of them.
std::vector<std::string> edge_count_note(std::size_t shown, std::size_t all);

/// Shows a score for each writer and reader; empty if the model has too many for a map.
std::vector<Document::Grid> edge_grid(const EdgeGraph& graph, const std::string& title,
                                      const std::vector<std::size_t>& edges,
                                      const std::vector<double>& scores);

}  // namespace tapehead
