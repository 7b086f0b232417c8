#pragma once
// Scores of edges: exact effects by path patching, and estimates from gradients.
#include "trial.hpp"

namespace tapehead {

/// Path patching (Goldowsky-Dill et al., "Localizing Model Behavior with Path Patching", 2023):
/// returns the change of the metric if only this edge is replaced, for each of these numbers of
/// edges. The writer's other edges keep their values; nodes after the reader are recomputed. Uses
/// all threads. Calls `on_progress` with the fraction done.
std::vector<double> path_effects(const EdgeTrial& trial, const std::vector<std::size_t>& edges,
                                 const std::function<void(double fraction)>& on_progress = {});

/// Estimates of all edges' effects, in the order of EdgeGraph::edges.
struct EdgeAttribution {
  /// The derivative of the metric by the edge's weight in the whole model: the gradient times the
  /// difference of the outputs (Syed et al., "Attribution Patching Outperforms Automated Circuit
  /// Discovery", 2023).
  std::vector<double> gradients;
  /// The integral of that derivative while the weights of all edges rise from 0 to 1 together, by
  /// the midpoint rule. The sum over all edges is the metric's total change, up to the rule's error
  /// (integrated gradients, Sundararajan et al., "Axiomatic Attribution for Deep Networks", 2017).
  /// Empty without steps.
  std::vector<double> integrated;
};
/// Computes the estimates, with `steps` gradients for the integral. Throws UsageError without steps
/// if the metric is a distance from the whole model, where its gradient is 0. Calls `on_progress`
/// with the fraction done.
EdgeAttribution attribute_edges(const EdgeTrial& trial, Index steps,
                                const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
