#pragma once
#include "../../train/model/architecture.hpp"

#include <functional>

namespace tapehead {

/// A neuron's value at a position of a validation example.
struct NeuronPlace {
  Index example = 0, position = 0;
  double value = 0;
};
/// Statistics of the hidden activations of an MLP over all positions of some validation examples.
/// Geva et al., "Transformer Feed-Forward Layers Are Key-Value Memories", 2021, describe a neuron
/// by the examples with its highest activations.
struct Neurons {
  Index examples = 0;
  std::vector<Index> tokens;  ///< [token] number of occurrences in the examples
  struct Neuron {
    double mean = 0, deviation = 0;    ///< over all positions
    double active = 0;                 ///< fraction of positions with a value above 0
    std::vector<NeuronPlace> highest;  ///< in descending order, one per example
    std::vector<double> means;         ///< [token] mean value; NaN for a token that didn't occur
  };
  std::vector<Neuron> neurons;
};
/// Measures neurons [first, end) of the MLP in one layer on at most `examples` validation examples,
/// with the `highest` places of each neuron. An `end` of -1 means all remaining neurons. Supports
/// gpt and encoder models. Throws UsageError for other models, and for a layer or neuron that
/// doesn't exist. The result doesn't depend on the number of threads.
Neurons neurons(const TaskModel& model, const Task& task, Index layer, Index first, Index end,
                Index examples, std::size_t highest,
                const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
