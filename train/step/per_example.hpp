#pragma once
// Per-example gradients: the gradient of each example of a batch.
#include "../../core/gradients.hpp"
#include "../../nn/parameters.hpp"
#include "../data/task.hpp"

namespace tapehead {

/// A differentiable loss of a batch: one number.
using BatchLoss = std::function<Tensor(const Module& model, const Batch& batch)>;
/// Returns the mean cross-entropy over the targets, in nats, without dropout.
Tensor evaluation_loss(const Module& model, const Batch& batch);

/// Calls f with the number, loss and gradients of each example. Calls run on all threads in any
/// order; the gradients are freed after the call.
void each_example(
    const Module& model, const Batch& batch,
    const std::function<void(Index example, double loss, const Gradients& gradients)>& f,
    const BatchLoss& loss = evaluation_loss);

/// Returns the gradients of each example's loss.
std::vector<Gradients> per_example_gradients(const Module& model, const Batch& batch,
                                             const BatchLoss& loss = evaluation_loss);
/// Returns the gradient norm of each example over all parameters. Keeps one gradient per thread in
/// memory.
std::vector<double> per_example_norms(const Module& model, const Batch& batch,
                                      const BatchLoss& loss = evaluation_loss);

}  // namespace tapehead
