#include "pruning.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../train/evaluate.hpp"
#include "scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

/// Returns the weights that replace all edges except the kept ones.
std::vector<double> weights_of(const std::vector<bool>& kept) {
  std::vector<double> weights(kept.size());
  for (std::size_t e = 0; e < kept.size(); ++e) weights[e] = kept[e] ? 0 : 1;
  return weights;
}

/// Returns the distance of the metric from the whole model, relative to replacing all edges.
double distance(const EdgeTrial& trial, double metric) {
  return std::abs(metric - trial.whole()) / std::abs(trial.none() - trial.whole());
}

void prune_backwards(const EdgeTrial& trial, double threshold, PrunedCircuit& found,
                     const std::function<void(double)>& on_progress) {
  const EdgeGraph& graph = trial.graph;
  const std::size_t count = graph.edges.size();
  std::vector<double> weights(count, 0.0);
  std::vector<bool> is_read(graph.nodes.size());
  is_read.back() = true;  // the logits
  double current = 0;
  for (std::size_t e = count; e-- > 0;) {
    const Edge& edge = graph.edges[e];
    weights[e] = 1;
    if (is_read[graph.node_of(edge)]) {  // otherwise, the edge leads nowhere
      const double next = distance(trial, trial.measure(weights));
      found.scores[e] = next - current;
      if (found.scores[e] <= threshold) {
        current = next;
      } else {
        weights[e] = 0;
        is_read[edge.from] = true;
      }
    }
    found.kept[e] = weights[e] == 0;
    if (on_progress) on_progress(static_cast<double>(count - e) / static_cast<double>(count));
  }
}

void prune_by_attribution(const EdgeTrial& trial, double threshold, Index steps,
                          PrunedCircuit& found, const std::function<void(double)>& on_progress) {
  const EdgeAttribution estimates = attribute_edges(trial, steps, on_progress);
  const std::vector<double>& all = steps > 0 ? estimates.integrated : estimates.gradients;
  std::vector<std::size_t> order(all.size());
  for (std::size_t e = 0; e < all.size(); ++e) {
    order[e] = e;
    found.scores[e] = std::abs(all[e]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found.scores[a] > found.scores[b]; });
  const auto first = [&](std::size_t kept) {  // the circuit of this many edges
    std::vector<bool> some(order.size());
    for (std::size_t i = 0; i < kept; ++i) some[order[i]] = true;
    return some;
  };
  std::size_t low = 0, high = order.size();  // `high` edges are enough
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (distance(trial, trial.measure(weights_of(first(middle)))) <= threshold)
      high = middle;
    else
      low = middle + 1;
  }
  found.kept = first(high);
}

/// Computes the circuit's faithfulness, completeness and minimality.
void evaluate_circuit(const EdgeTrial& trial, PrunedCircuit& found,
                      const std::function<void(double)>& on_progress) {
  const EdgeGraph& graph = trial.graph;
  const double scale = trial.whole() - trial.none();
  const std::vector<double> inside = weights_of(found.kept);
  found.circuit = trial.measure(inside);
  found.faithfulness = (found.circuit - trial.none()) / scale;
  // Jobs: first each node's edges and all edges of the circuit, then each edge of the circuit.
  const std::vector<std::size_t> kept = found.kept_edges();
  const std::size_t sets = graph.nodes.size();  // the last set is the whole circuit
  std::vector<double> gaps(sets + kept.size());
  parallel_for_with_progress(static_cast<Index>(gaps.size()), on_progress, [&](Index i) {
    const auto job = static_cast<std::size_t>(i);
    std::vector<double> circuit = inside, model(inside.size());
    if (job >= sets) {
      circuit[kept[job - sets]] = 1;
      gaps[job] = std::abs((trial.measure(circuit) - found.circuit) / scale);
      return;
    }
    bool any = false;
    for (std::size_t e : kept)
      if (job + 1 == sets || graph.edges[e].from == job) circuit[e] = model[e] = 1, any = true;
    if (job + 1 < sets)  // a node loses its edges outside the circuit, too
      for (std::size_t e = 0; e < model.size(); ++e)
        if (graph.edges[e].from == job) model[e] = 1;
    if (any) gaps[job] = std::abs((trial.measure(circuit) - trial.measure(model)) / scale);
  });
  found.completeness = 1 - *std::max_element(gaps.begin(), gaps.begin() + static_cast<Index>(sets));
  found.minimality = kept.empty()
                         ? std::numeric_limits<double>::quiet_NaN()
                         : *std::min_element(gaps.begin() + static_cast<Index>(sets), gaps.end());
  for (std::size_t i = 0; i < kept.size(); ++i) found.costs[kept[i]] = gaps[sets + i];
}

}  // namespace

std::vector<std::size_t> PrunedCircuit::kept_edges() const {
  std::vector<std::size_t> all;
  for (std::size_t e = 0; e < kept.size(); ++e)
    if (kept[e]) all.push_back(e);
  return all;
}

PrunedCircuit choose_edges(const EdgeTrial& trial, PruneBy by, double threshold, Index steps,
                           const std::function<void(double)>& on_progress) {
  if (trial.none() == trial.whole() || std::isnan(trial.none() - trial.whole()))
    throw UsageError(
        "replacing all edges changes the metric from {} to {}; use another --metric or --by",
        trial.whole(), trial.none());
  const std::size_t count = trial.graph.edges.size();
  PrunedCircuit found;
  found.kept.resize(count), found.scores.resize(count), found.costs.resize(count);
  if (by == PruneBy::acdc)
    prune_backwards(trial, threshold, found, on_progress);
  else
    prune_by_attribution(trial, threshold, steps, found, on_progress);
  return found;
}

PrunedCircuit prune(const EdgeTrial& trial, PruneBy by, double threshold, Index steps,
                    const std::function<void(double)>& on_progress) {
  const auto half = [&](double begin) -> std::function<void(double)> {
    if (!on_progress) return {};
    return [&on_progress, begin](double done) { on_progress(begin + done / 2); };
  };
  PrunedCircuit found = choose_edges(trial, by, threshold, steps, half(0));
  evaluate_circuit(trial, found, half(0.5));
  return found;
}

}  // namespace tapehead
