#pragma once
#include "trial.hpp"

namespace tapehead {

/// The edges that remain after pruning, and their quality.
struct PrunedCircuit {
  std::vector<bool> kept;  ///< per edge
  /// A score per edge; kept edges have the largest scores. With `acdc`, how much farther the metric
  /// moved from the whole model when the edge was tried, relative to replacing all edges. With
  /// `attribution`, the absolute integrated attribution.
  std::vector<double> scores;
  double circuit = 0;  ///< the metric F(C) with only the circuit's edges

  // F(M) is the metric of the whole model, F(0) the metric without edges, M \ K the model without
  // the edges K.
  /// (F(C) - F(0)) / (F(M) - F(0)); 1: the circuit does what the model does.
  double faithfulness = 0;
  /// 1 - max |F(C \ K) - F(M \ K)| / |F(M) - F(0)|, where K is each node's outgoing edges, and all
  /// edges of C (after Wang et al., "Interpretability in the Wild", 2023). 1: nothing outside the
  /// circuit takes over.
  double completeness = 0;
  /// min |F(C \ e) - F(C)| / |F(M) - F(0)| over the edges e of C; above 0: each edge matters.
  double minimality = 0;
  std::vector<double> costs;  ///< |F(C \ e) - F(C)| / |F(M) - F(0)| per kept edge; 0 for others
  std::vector<std::size_t> kept_edges() const;  ///< the numbers of the kept edges, ascending
};

/// How to choose edges:
///   acdc         from the logits back, drop each edge that moves the metric away from the whole
///                model by at most `threshold` (Conmy et al., "Towards Automated Circuit Discovery
///                for Mechanistic Interpretability", 2023)
///   attribution  keep the fewest edges, by absolute integrated attribution, for which the metric
///                differs from the whole model by at most `threshold`; found by bisection
/// The threshold is a fraction of |F(M) - F(0)|.
enum class PruneBy { acdc, attribution };

/// Finds a circuit and measures it. attribute_edges gets `steps`. Throws UsageError if
/// replacing all edges doesn't change the metric. Calls `on_progress` with the fraction done.
PrunedCircuit prune(const EdgeTrial& trial, PruneBy by, double threshold, Index steps,
                    const std::function<void(double fraction)>& on_progress = {});

/// Does the same without measuring the circuit: fills only `kept` and `scores`.
PrunedCircuit choose_edges(const EdgeTrial& trial, PruneBy by, double threshold, Index steps,
                           const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
