#pragma once
#include "../../train/evaluate.hpp"
#include "readout.hpp"

namespace tapehead {

/// The gradient of a linear map y = x W^T + b over one example, as the sum over positions of the
/// outer product of what came back, dy, and what came forward, x (Katz, Belinkov, Geva and Wolf,
/// "Backward Lens: Projecting Language Model Gradients into the Vocabulary Space", 2024).
struct WeightGradient {
  std::string name;  ///< blocks.0.mlp.in.weight; of a joint projection, with (q), (k) or (v)
  Tensor x, dy;      ///< (positions, in), (positions, out)
  Tensor gradient;   ///< (out, in)
  /// Both where the map meets the residual stream, (positions, width): of one that reads it, x and
  /// -W^T dy; of one that writes to it, W x and -dy. A step of descent makes the map answer the
  /// first with more of the second. Null for a map that does neither.
  Tensor stream_input = {}, stream_update = {};
};

/// How an example's loss depends on its tokens and on the weights.
struct ExampleGradients {
  double loss = 0;  ///< mean over the example's targets, in nats
  double norm = 0;  ///< of the gradient of all parameters together
  std::vector<WeightGradient> weights = {};
  /// For each token that the model reads: how much the loss would rise, to first order, if the mean
  /// of all embeddings took the place of its own (gradient times difference from a reference:
  /// Shrikumar, Greenside and Kundaje, "Learning Important Features Through Propagating Activation
  /// Differences", 2017); and the norm of the gradient there.
  std::vector<double> costs = {}, norms = {};
};
ExampleGradients example_gradients(const GPT& model, const Batch& example);

struct GradientNorm {
  Index example;  ///< its number among the held-out examples
  double loss, norm;
};
/// The norm of the gradient of each of the first held-out examples by itself, largest first. Works
/// for every kind of model, on all threads; `on_progress` as for evaluate.
std::vector<GradientNorm> gradient_norms(
    const TaskModel& model, const Task& task, Index examples,
    const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
