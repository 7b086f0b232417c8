#pragma once
#include "../../train/model/architecture.hpp"

#include <functional>

namespace tapehead {

/// Where a neuron has a value: at a position that the model reads of a held-out example.
struct NeuronPlace {
  Index example = 0, position = 0;
  double value = 0;
};
/// What stands between the layers of an MLP, over all tokens of some held-out examples. (Geva and
/// others, "Transformer Feed-Forward Layers Are Key-Value Memories", 2021, name the neurons of a
/// layer by the examples that move them most.)
struct Neurons {
  Index examples = 0;
  std::vector<Index> tokens;  ///< [token] how often the model read it
  struct Neuron {
    double mean = 0, deviation = 0;    ///< over all positions
    double active = 0;                 ///< the fraction of positions at which it is above 0
    std::vector<NeuronPlace> highest;  ///< the largest values, one an example, the largest first
    std::vector<double> means;         ///< [token] NaN for one that was never read
  };
  std::vector<Neuron> neurons;
};
/// Neurons [first, end) of the MLP of layer `layer`, counted from 0 in the order of the pass, over
/// at most `examples` held-out examples, with `highest` places each; an end of -1 is the last.
/// Works for a gpt and an encoder, whose positions are those of tokens. Throws UsageError for
/// another model, or for a layer or neuron that isn't there. The result doesn't depend on the
/// number of threads.
Neurons neurons(const TaskModel& model, const Task& task, Index layer, Index first, Index end,
                Index examples, std::size_t highest,
                const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
