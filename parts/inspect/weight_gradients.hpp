#pragma once
#include "../../train/evaluate.hpp"
#include "readout.hpp"

namespace tapehead {

/// The gradient of the weight of a linear map y = x W^T + b for one example. It is a sum over
/// positions: the outer products of the output's gradient dy and the input x (Katz, Belinkov, Geva
/// and Wolf, "Backward Lens: Projecting Language Model Gradients into the Vocabulary Space", 2024).
struct WeightGradient {
  std::string name;  ///< such as blocks.0.mlp.in.weight; a joint projection adds (q), (k) or (v)
  Tensor x, dy;      ///< (positions, in), (positions, out)
  Tensor gradient;   ///< (out, in)
  /// Vectors of the residual stream, (positions, width). A gradient descent step makes the map
  /// respond to stream_input with more of stream_update. These are x and -W^T dy if the map reads
  /// the stream, W x and -dy if it writes to the stream, null otherwise.
  Tensor stream_input = {}, stream_update = {};
};

/// The gradients of an example's loss with respect to the weights and the input embeddings.
struct ExampleGradients {
  double loss = 0;  ///< mean over the example's targets, in nats
  double norm = 0;  ///< norm of the gradient of all parameters
  std::vector<WeightGradient> weights = {};
  /// `costs` is the loss increase, to first order, with the mean embedding in place of each input
  /// token's (gradient times difference from a reference: Shrikumar, Greenside and Kundaje,
  /// "Learning Important Features Through Propagating Activation Differences", 2017). `norms` is
  /// the norm of the gradient of each token's embedding.
  std::vector<double> costs = {}, norms = {};
};
ExampleGradients example_gradients(const GPT& model, const Batch& example);

struct GradientNorm {
  Index example;  ///< number of the validation example
  double loss, norm;
};
/// Computes the gradient norm of each of the first `examples` validation examples, and sorts them
/// in descending order. Supports all architectures and uses all threads. Calls `on_progress` with
/// the fraction done.
std::vector<GradientNorm> gradient_norms(
    const TaskModel& model, const Task& task, Index examples,
    const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
