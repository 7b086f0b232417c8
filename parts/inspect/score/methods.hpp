#pragma once
#include "../command/experiments.hpp"
#include "../edges/graph.hpp"
#include "detection.hpp"
#include "known_circuit.hpp"

#include <functional>
#include <limits>

namespace tapehead {

/// The share of the largest possible effect from which a method without a threshold of its own
/// reports an item.
constexpr double score_threshold = 0.01;

/// A method, named by its command and what tells it from others, and how well it detects a known
/// circuit.
struct MethodScore {
  std::string method;  ///< such as `ablate, zero`
  Detection detection;
  std::string failure = {};  ///< why the method can't be applied to this run; then no scores
  /// Edges only, else NaN: recall and ROC area if all edges of the circuit are true, also those
  /// that the replacement doesn't change.
  double recall_of_all = std::numeric_limits<double>::quiet_NaN();
  double area_of_all = std::numeric_limits<double>::quiet_NaN();
};

/// Scores `ablate`, `patch`, `heads`, `neurons` and `probe` on the first `examples` validation
/// examples; `heads` reads as many as it needs, and `patch` two.
///   ablate, patch  heads and MLPs. True: those in the circuit. Reported: the loss rises by more
///                  than 1 % of the largest rise; at some position, more than 1 % of the logit
///                  difference comes back
///   heads          heads. True: those in the circuit. Reported: those with a name. Score: the
///                  weight on the pattern's keys
///   neurons        neurons of all MLPs. True: those in the circuit. Score: the deviation;
///                  reported: if it isn't 0
///   probe          hook points. True: those that carry what the circuit computes as the output.
///                  Score: the accuracy for the target; reported: above 99 %
std::vector<MethodScore> score_components(const LoadedRun& run, const EdgeGraph& graph,
                                          const KnownCircuit& known, Index examples,
                                          const Terminal& terminal);

/// Scores `path`, `edges` and `circuit`. Edges are true if they are in the circuit and their
/// replacement differs in a direction that they carry: no method can see others.
///   path, edges  reported: an effect of more than 1 % of the effect of replacing all edges
///   circuit      reported: the circuit at the default threshold. Score of acdc: the largest of
///                some thresholds at which it keeps the edge; of attribution: the attribution
std::vector<MethodScore> score_edges(const LoadedRun& run, const KnownCircuit& known,
                                     Index examples, const Terminal& terminal);

/// Calls `work`, which appends the scores of these methods. If it throws UsageError, because the
/// methods can't be applied to the run, appends the reason instead.
void append_scores(std::vector<MethodScore>& all, const std::vector<std::string>& methods,
                   const std::function<void()>& work);

/// Returns whether each edge is in the circuit.
std::vector<bool> is_known_edge(const EdgeGraph& graph, const KnownCircuit& known);

}  // namespace tapehead
