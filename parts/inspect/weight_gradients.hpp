#pragma once
#include "../../train/evaluate.hpp"
#include "readout.hpp"

namespace tapehead {

/// The gradient of a linear map y = x W^T + b over one example. It is the sum over positions of the
/// outer products of the output gradient dy and the input x (Katz, Belinkov, Geva and Wolf,
/// "Backward Lens: Projecting Language Model Gradients into the Vocabulary Space", 2024).
struct WeightGradient {
  std::string name;  ///< blocks.0.mlp.in.weight, with (q), (k) or (v) for a joint projection
  Tensor x, dy;      ///< (positions, in), (positions, out)
  Tensor gradient;   ///< (out, in)
  /// Vectors in the residual stream, (positions, width): for a map that reads the stream, x and
  /// -W^T dy; for a map that writes to it, W x and -dy. A gradient descent step makes the map
  /// respond to the first with more of the second. Null for other maps.
  Tensor stream_input = {}, stream_update = {};
};

/// The gradients of an example's loss with respect to its tokens and the weights.
struct ExampleGradients {
  double loss = 0;  ///< mean over the example's targets, in nats
  double norm = 0;  ///< norm of the gradient of all parameters
  std::vector<WeightGradient> weights = {};
  /// Values for each input token. `costs` is the first-order estimate of how much the loss would
  /// rise with the mean embedding in its place. This is the gradient times the difference from a
  /// reference (Shrikumar, Greenside and Kundaje, "Learning Important Features Through Propagating
  /// Activation Differences", 2017). `norms` is the norm of the gradient there.
  std::vector<double> costs = {}, norms = {};
};
ExampleGradients example_gradients(const GPT& model, const Batch& example);

struct GradientNorm {
  Index example;  ///< number of the validation example
  double loss, norm;
};
/// Computes the gradient norm of each of the first validation examples separately, in descending
/// order. Supports all architectures and uses all threads. Calls `on_progress` with the fraction
/// done.
std::vector<GradientNorm> gradient_norms(
    const TaskModel& model, const Task& task, Index examples,
    const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
