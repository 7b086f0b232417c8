#pragma once
#include "../optim/average.hpp"
#include "../optim/optimizer.hpp"
#include "compute_scope.hpp"
#include "evaluate.hpp"
#include "step.hpp"

namespace tapehead {

/// What a configuration makes, and what its steps change. The process computes with the threads and
/// products of the configuration while it lives.
class Learner {
 public:
  /// `config` as `validated` gives it. A `fresh` one begins with the weights of --init, where
  /// given; else those are about to be loaded.
  Learner(TrainConfig config, const Registry& registry, bool fresh);

  /// Step number `step`, which counts from 0. A profiler, where there is one, listens.
  StepResult step(Index step, Profiler* profiler = nullptr);
  /// As tapehead::why_not_finite, of a step that has just been found so.
  std::string why_not_finite(Index step);
  /// Of the averaged weights, where there are some, on at most `examples`. `told` hears of the
  /// result before the model has its own weights again.
  Evaluation evaluate(Index examples, const std::function<void(const Evaluation&)>& told = {});

  TrainConfig config;  ///< with what the task found
  const std::unique_ptr<Task> task;
  const std::unique_ptr<TaskModel> model;
  const Index shards;  ///< those of the configuration, or what it leaves to default_shards
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<WeightAverage> average;  ///< none where there is to be none
  const Schedule schedule;

 private:
  Batch batch(Index step) const;

  const ComputeScope compute_;  // ends first
};

/// Makes the model that a configuration begins with: its weights drawn, or where `fresh` those of
/// --init, and what --freeze names frozen. Throws FileError or UsageError that names the parameter.
std::unique_ptr<TaskModel> first_model(const TrainConfig& config, const Task& task,
                                       const Registry& registry, bool fresh);

}  // namespace tapehead
