#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// The exponential moving average (EMA) of a model's weights: the weights of n updates ago count in
/// proportion to decay^n. The initial weights don't count, so a short training isn't biased towards
/// them. Frozen parameters aren't averaged.
class WeightAverage {
 public:
  /// The parameters must stay at the same address. Throws ValueError if the decay isn't in [0, 1).
  WeightAverage(const std::vector<Parameter*>& all, double decay);

  /// Updates the average after update number `updates` of the optimizer, counted from 1.
  void update(Index updates);
  /// Swaps the parameters' values and the average, without a copy. Throws like Parameter::set.
  void swap();
  /// Returns the tensors for a checkpoint, with names such as "weights.blocks.0.mlp.up.weight".
  std::vector<Optimizer::State> state();

 private:
  std::vector<Parameter*> averaged_;
  std::vector<Tensor> average_;
  double decay_;
};

/// A scope in which the parameters have the values for evaluating and saving. These are their EMA
/// if there is one, otherwise the values that the optimizer provides, which by default are their
/// own.
class EvaluationWeights {
 public:
  explicit EvaluationWeights(WeightAverage* average, Optimizer* optimizer = nullptr)
      : average_(average), optimizer_(optimizer) {
    exchange();
  }
  ~EvaluationWeights() { exchange(); }
  EvaluationWeights(const EvaluationWeights&) = delete;
  EvaluationWeights& operator=(const EvaluationWeights&) = delete;

 private:
  void exchange() {
    if (average_)
      average_->swap();
    else if (optimizer_)
      optimizer_->exchange();
  }

  WeightAverage* average_;
  Optimizer* optimizer_;
};

}  // namespace tapehead
