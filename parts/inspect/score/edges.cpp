#include "../../../core/runtime/parallel.hpp"
#include "../command/edge_input.hpp"
#include "../edges/pruning.hpp"
#include "../edges/scores.hpp"
#include "methods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

/// Thresholds at which acdc is run, in descending order; one is the default of `circuit`.
const std::vector<double> acdc_thresholds = {0.1, 0.01, 1e-3, 1e-4, 1e-5};

bool is_same(const EdgeGraph& graph, const Edge& edge, const KnownCircuit::Carried& known) {
  return graph.nodes[edge.from].name() == known.from && graph.reader_name(edge.reader) == known.to;
}

/// The edges of one trial, and what is true of them.
class Edges {
 public:
  Edges(const EdgeTrial& trial, const KnownCircuit& known)
      : trial_(trial), known_(is_known_edge(trial.graph, known)), visible_(known_.size()) {
    const EdgeGraph& graph = trial.graph;
    const std::vector<Tensor> changes = trial.changes();
    for (const KnownCircuit::Carried& carried : known.edges)
      for (std::size_t e = 0; e < known_.size(); ++e)
        if (is_same(graph, graph.edges[e], carried) &&
            is_changed(changes[graph.edges[e].from], carried))
          visible_[e] = true;
  }

  MethodScore score(const std::string& method, const std::vector<bool>& found,
                    const std::vector<double>& scores) const {
    MethodScore all{method, detect(visible_, found, scores)};
    all.recall_of_all = detect(known_, found, scores).recall;
    all.area_of_all = roc_area(known_, scores);
    return all;
  }
  /// Scores effects of edges by their absolute values.
  MethodScore score_effects(const std::string& method, std::vector<double> effects) const {
    const double least = score_threshold * std::abs(trial_.none() - trial_.whole());
    std::vector<bool> found;
    for (double& effect : effects) {
      effect = std::abs(effect);
      found.push_back(effect > least);
    }
    return score(method, found, effects);
  }

 private:
  /// Returns whether the replacement differs in a direction that the edge carries. A difference of
  /// two values of a sequence is at least 1/42; rounding changes them by less than 1e-5.
  static bool is_changed(const Tensor& change, const KnownCircuit::Carried& carried) {
    return any_of(carried.directions, [&](Index direction) { return change(direction) > 1e-4; });
  }

  const EdgeTrial& trial_;
  std::vector<bool> known_, visible_;
};

EdgeTrial trial_of(const LoadedRun& run, const char* by, EdgeMetric metric, Index examples,
                   const Terminal& terminal) {
  InspectArguments asked;
  asked.by = by;
  asked.examples = examples;
  return edge_input(run, asked, metric, terminal).trial;
}

MethodScore score_acdc(const Edges& edges, const EdgeTrial& trial, const std::string& method) {
  std::vector<PrunedCircuit> circuits(acdc_thresholds.size());
  parallel_for(static_cast<Index>(circuits.size()), [&](Index i) {
    circuits[i] = choose_edges(trial, PruneBy::acdc, acdc_thresholds[i], 0);
  });
  std::vector<double> scores(trial.graph.edges.size());
  for (std::size_t i = circuits.size(); i-- > 0;)
    for (std::size_t e = 0; e < scores.size(); ++e)
      if (circuits[i].kept[e]) scores[e] = acdc_thresholds[i];
  const auto own = std::find(acdc_thresholds.begin(), acdc_thresholds.end(), score_threshold);
  return edges.score(method, circuits[own - acdc_thresholds.begin()].kept, scores);
}

}  // namespace

std::vector<bool> is_known_edge(const EdgeGraph& graph, const KnownCircuit& known) {
  std::vector<bool> all;
  for (const Edge& edge : graph.edges)
    all.push_back(
        any_of(known.edges, [&](const auto& each) { return is_same(graph, edge, each); }));
  return all;
}

void append_scores(std::vector<MethodScore>& all, const std::vector<std::string>& methods,
                   const std::function<void()>& work) {
  const auto before = static_cast<std::ptrdiff_t>(all.size());
  try {
    work();
  } catch (const UsageError& error) {
    all.erase(all.begin() + before, all.end());
    for (const std::string& method : methods) all.push_back({method, {}, error.what()});
  }
}

std::vector<MethodScore> score_edges(const LoadedRun& run, const KnownCircuit& known,
                                     Index examples, const Terminal& terminal) {
  std::vector<MethodScore> all;
  const auto effects = [&](const char* by, const std::string& method) {
    const EdgeTrial trial = trial_of(run, by, EdgeMetric::logit, examples, terminal);
    const Edges edges(trial, known);
    std::vector<std::size_t> each(trial.graph.edges.size());
    std::iota(each.begin(), each.end(), std::size_t{0});
    all.push_back(edges.score_effects(method, path_effects(trial, each)));
    if (by != std::string("resample")) return;
    const EdgeAttribution found = attribute_edges(trial, 8);
    all.push_back(edges.score_effects("edges, gradient", found.gradients));
    all.push_back(edges.score_effects("edges, integrated", found.integrated));
  };
  append_scores(all, {"path, resample", "edges, gradient", "edges, integrated"},
                [&] { effects("resample", "path, resample"); });
  append_scores(all, {"path, mean"}, [&] { effects("mean", "path, mean"); });
  append_scores(all, {"path, zero"}, [&] { effects("zero", "path, zero"); });
  const auto circuits = [&](const char* by, const std::string& method) {
    const EdgeTrial trial = trial_of(run, by, EdgeMetric::kl, examples, terminal);
    const Edges edges(trial, known);
    all.push_back(score_acdc(edges, trial, method));
    if (by != std::string("resample")) return;
    const PrunedCircuit found = choose_edges(trial, PruneBy::attribution, score_threshold, 8);
    all.push_back(edges.score("circuit, attribution", found.kept, found.scores));
  };
  append_scores(all, {"circuit, resample", "circuit, attribution"},
                [&] { circuits("resample", "circuit, resample"); });
  append_scores(all, {"circuit, zero"}, [&] { circuits("zero", "circuit, zero"); });
  return all;
}

}  // namespace tapehead
