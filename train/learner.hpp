#pragma once
#include "../optim/average.hpp"
#include "../optim/optimizer.hpp"
#include "evaluate.hpp"
#include "step.hpp"
#include "thread_scope.hpp"

namespace tapehead {

/// Everything that a configuration makes and that its steps change. While it lives, the process
/// computes with the threads of the configuration.
class Learner {
 public:
  /// `config` must come from `validated`, and `task` from make_task with it; it is made where it is
  /// null. A `fresh` learner begins with the weights of --init, where given; otherwise the caller
  /// is about to load a checkpoint.
  Learner(TrainConfig config, const Registry& registry, bool fresh,
          std::shared_ptr<const Task> task = nullptr);

  /// Runs step number `step`, counted from 0. The profiler, if any, records it.
  StepResult step(Index step, Profiler* profiler = nullptr);
  /// As tapehead::why_not_finite, for a step whose loss or gradient has just turned out non-finite.
  std::string why_not_finite(Index step);
  /// Evaluates the averaged weights, where there are some, on at most `examples` held-out examples.
  /// `told` is called with the result before the model gets its own weights back.
  Evaluation evaluate(Index examples, const std::function<void(const Evaluation&)>& told = {});

  TrainConfig config;  ///< with the options that the task found in its files
  const std::shared_ptr<const Task> task;
  const std::unique_ptr<TaskModel> model;
  const Index shards;  ///< from the configuration, or by default_shards
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<WeightAverage> average;  ///< null where the configuration asks for none
  const std::function<double(Index step)> schedule;
  const std::vector<Metric> metrics;  ///< of evaluations

 private:
  Batch batch(Index step) const;
  StepOptions step_options() const;

  const ThreadScope threads_;  // destroyed first
};

}  // namespace tapehead
