#pragma once
// Linear probes: which properties of the input can be read from activations by a linear map (Alain
// and Bengio, "Understanding intermediate layers using linear classifier probes", 2016).
#include "../../train/model/architecture.hpp"

#include <functional>

namespace tapehead {

/// Returns the class of each position of a batch, i32 in the shape of its inputs; -1: none.
using ProbeLabels = std::function<Tensor(const Batch& batch)>;

/// The accuracy of a probe at one hook point on the examples that it wasn't fitted on.
struct ProbeResult {
  std::string point;  ///< blocks.0.out
  double accuracy = 0;
  /// Accuracy of a probe for a control task (Hewitt and Liang, "Designing and Interpreting Probes
  /// with Control Tasks", 2019): each token at each position gets a random label, with the
  /// frequencies of the real labels. NaN if there are fewer such pairs than classes, because then
  /// the control task is easier.
  double control = 0;
  double selectivity() const { return accuracy - control; }
};
struct Probes {
  Index examples = 0;   ///< used for fitting; as many are used for measuring
  Index positions = 0;  ///< labelled positions that the accuracies are measured on
  Index classes = 0;
  Index pairs = 0;  ///< pairs of a token and a position with a label, which the control task labels
  double majority = 0;  ///< accuracy of always guessing the most frequent label
  std::vector<ProbeResult> points;
};

/// Returns the model's hook points with a vector per position, in the order of a forward pass.
/// Throws UsageError for a model that is neither gpt nor encoder.
std::vector<std::string> probe_points(const TaskModel& model, const Task& task);

/// Fits a probe at each of these hook points on half of the first `examples` validation examples,
/// and measures it on the other half. A probe maps the activations and a constant to one score per
/// class by least squares with targets 1 and 0, in f64, and predicts the class of the largest
/// score. It is computed in closed form, so it is deterministic. Throws UsageError for fewer than 2
/// examples or 2 classes. Calls `on_progress` with the fraction done.
Probes probe(const TaskModel& model, const Task& task, const std::vector<std::string>& points,
             const ProbeLabels& labels, Index examples,
             const std::function<void(double fraction)>& on_progress = {});

/// Returns x for the symmetric positive definite system A x = B: f64 (n, n) and (n, m) -> (n, m).
/// Uses the Cholesky decomposition.
Tensor solve_positive(const Tensor& a, const Tensor& b);

}  // namespace tapehead
