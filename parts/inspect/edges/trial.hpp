#pragma once
// The effect of replacing what components read from earlier components.
#include "../../../train/data/task.hpp"
#include "graph.hpp"

#include <functional>

namespace tapehead {

/// The output that replaces a component's own: its output for another example, its mean over the
/// examples at each position, or zeros.
enum class ReplaceBy { resample, mean, zero };

/// The number that measures the model's output, averaged over all targets:
///   logit   the target's logit minus the logit of the other example's target or, without another
///           example, minus the mean of all logits
///   loss    the cross-entropy in nats
///   kl      the KL divergence of the whole model's prediction from this one, in nats
///   square  the squared difference from the whole model's logits, summed over the vocabulary
enum class EdgeMetric { logit, loss, kl, square };

/// Examples of equal length, so that there is no padding.
struct EdgeBatch {
  Batch own;
  Batch other;  ///< for each row, the example whose outputs replace its own; only for `resample`
};

/// Returns the first `count` validation examples in batches by length. With `resample`, each
/// example's other example is another one of the same length, chosen at random; leaves out examples
/// without one. Throws UsageError if none remain.
std::vector<EdgeBatch> edge_batches(const TaskModel& model, const Task& task, Index count,
                                    ReplaceBy by);

/// Measures a model in which some edges carry other outputs. Each edge e has a weight w(e). The
/// edge carries (1 - w) times the output of its writer in this pass, plus w times the
/// replacement. So 0 is the model itself and 1 replaces the edge; nodes after it are recomputed.
class EdgeTrial {
 public:
  /// Keeps a reference to the model. Throws UsageError if the metric has no targets.
  EdgeTrial(const TaskModel& model, std::vector<EdgeBatch> batches, ReplaceBy by,
            EdgeMetric metric);

  /// Returns the metric for these weights, one per edge. Any thread may call it.
  double measure(const std::vector<double>& weights) const;
  /// Returns the derivative of the metric by each edge's weight.
  std::vector<double> slopes(const std::vector<double>& weights) const;

  /// Returns, for each node except the logits, the largest absolute difference between its
  /// replacement and its output in each direction of the residual stream, f64 (width).
  std::vector<Tensor> changes() const;

  double whole() const { return whole_; }  ///< the metric if no edge is replaced
  double none() const { return none_; }    ///< the metric if all edges are replaced
  /// Returns whether the metric is a distance from the whole model. Then it has its minimum there,
  /// so its slopes are 0.
  bool is_distance() const { return metric_ == EdgeMetric::kl || metric_ == EdgeMetric::square; }
  Index examples() const { return examples_; }
  Index targets() const { return targets_; }

  const EdgeGraph graph;

 private:
  /// A batch with the replacements of all nodes, and the rows of its logits that have targets.
  struct Prepared {
    Batch batch;
    std::vector<Tensor> replacements;  ///< each broadcasts to (batch, time, width)
    Tensor rows, right, wrong;         ///< i32 (targets) rows of the logits; (targets, 1) tokens
    Tensor whole;                      ///< f64 (targets, vocabulary) logits of the whole model
  };
  bool find_targets(Prepared& part, const Tensor& other) const;
  Tensor logits_at(const Prepared& part, const Tensor& logits) const;
  Tensor sum_of(const Prepared& part, const Tensor& logits) const;
  Tensor input(const Prepared& part, const std::vector<double>& weights, std::size_t reader,
               const Tensor& stream, const std::vector<Tensor>& outputs) const;
  void add_slopes(const Prepared& part, const std::vector<double>& weights,
                  std::vector<double>& slopes) const;

  const EdgeMetric metric_;
  std::vector<Prepared> parts_;
  Index examples_ = 0, targets_ = 0;
  double whole_ = 0, none_ = 0;
};

}  // namespace tapehead
