#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// The exponential moving average of a model's weights: their mean over all updates, where those of
/// n updates ago count decay^n. The weights before the first update don't count, so that the
/// average isn't biased towards them after a short training. Frozen parameters aren't averaged.
class WeightAverage {
 public:
  /// `all` must stay where they are. Throws ValueError for a decay that isn't in [0, 1).
  WeightAverage(const std::vector<Parameter*>& all, double decay);

  /// After the optimizer's update number `updates`, which counts from 1.
  void update(Index updates);
  /// Exchanges the parameters' values and the average, without a copy. Throws as Parameter::set.
  void swap();
  /// What a checkpoint keeps: name and tensor, "weights.blocks.0.mlp.up.weight".
  std::vector<Optimizer::State> state();

 private:
  std::vector<Parameter*> averaged_;
  std::vector<Tensor> average_;
  double decay_;
};

/// While it lives, the parameters have the values that are evaluated and saved: their average's, or
/// where there is none those that their optimizer says, or without both their own.
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
