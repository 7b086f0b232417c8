#pragma once
// What each example of a batch contributes to a gradient.
#include "../../core/gradients.hpp"
#include "../../nn/parameters.hpp"
#include "../data/task.hpp"

namespace tapehead {

/// The loss of a batch, one number, which is differentiated.
using BatchLoss = std::function<Tensor(const Module& model, const Batch& batch)>;
/// Cross-entropy without dropout: mean over the targets that count, in nats.
Tensor evaluation_loss(const Module& model, const Batch& batch);

/// Calls f with each example of the batch: its number, its loss alone, and that loss's gradients,
/// which are gone after the call. On all threads, in any order.
void each_example(
    const Module& model, const Batch& batch,
    const std::function<void(Index example, double loss, const Gradients& gradients)>& f,
    const BatchLoss& loss = evaluation_loss);

/// The gradients of each example's loss.
std::vector<Gradients> per_example_gradients(const Module& model, const Batch& batch,
                                             const BatchLoss& loss = evaluation_loss);
/// Their norms, each over all parameters together. Only one gradient a thread is held.
std::vector<double> per_example_norms(const Module& model, const Batch& batch,
                                      const BatchLoss& loss = evaluation_loss);

}  // namespace tapehead
