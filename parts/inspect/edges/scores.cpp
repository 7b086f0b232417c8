#include "scores.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../train/evaluate.hpp"

namespace tapehead {

std::vector<double> path_effects(const EdgeTrial& trial, const std::vector<std::size_t>& edges,
                                 const std::function<void(double)>& on_progress) {
  std::vector<double> effects(edges.size());
  parallel_for_with_progress(static_cast<Index>(edges.size()), on_progress, [&](Index i) {
    std::vector<double> weights(trial.graph.edges.size());
    weights[edges[i]] = 1;
    effects[i] = trial.measure(weights) - trial.whole();
  });
  return effects;
}

EdgeAttribution attribute_edges(const EdgeTrial& trial, Index steps,
                                const std::function<void(double)>& on_progress) {
  if (steps == 0 && trial.is_distance())
    throw UsageError(
        "a distance from the whole model has gradient 0 there; use --steps above 0, or --metric "
        "logit");
  const std::size_t count = trial.graph.edges.size();
  std::vector<std::vector<double>> slopes(steps + 1);
  parallel_for_with_progress(steps + 1, on_progress, [&](Index i) {
    const double weight = i == 0 ? 0 : (static_cast<double>(i) - 0.5) / static_cast<double>(steps);
    slopes[i] = trial.slopes(std::vector<double>(count, weight));
  });
  EdgeAttribution found;
  found.gradients = slopes[0];
  if (steps > 0) found.integrated.resize(count);
  for (Index i = 1; i <= steps; ++i)
    for (std::size_t e = 0; e < count; ++e)
      found.integrated[e] += slopes[i][e] / static_cast<double>(steps);
  return found;
}

}  // namespace tapehead
