#pragma once
#include "../optim/average.hpp"
#include "../optim/optimizer.hpp"
#include "evaluate.hpp"
#include "runs/json.hpp"
#include "runs/run_folder.hpp"
#include "step.hpp"
#include "team.hpp"
#include "thread_scope.hpp"
#include "watch/model_metric.hpp"

#include <atomic>

namespace tapehead {

/// The number of held-out examples that a run's evaluations use.
Index evaluated_examples(const TrainConfig& config, const Task& task);

/// Everything that a configuration makes and that its steps change. While it lives, the thread that
/// made it, and has to destroy it too, computes with the threads of the configuration. Where
/// several ranks train together, each has a learner: rank 0's is used as if there were no others,
/// and they follow it.
class Learner {
 public:
  /// `config` must come from `validated`, and `task` from make_task with it; it is made where it is
  /// null. A `fresh` learner begins with the weights of --init, where given; otherwise the caller
  /// is about to load a checkpoint. `make_team` is given to each of several processes.
  Learner(TrainConfig config, const Registry& registry, bool fresh,
          std::shared_ptr<const Task> task = nullptr, const MakeTeam& make_team = {});

  /// Begins with the last checkpoint of a folder, where it has one. Returns its number of steps.
  /// Throws ValueError where two tensors that are to be saved have the same name.
  Index begin(const RunFolder& folder);
  /// Runs step number `step`, counted from 0. The profiler, if any, records it.
  StepResult step(Index step, Profiler* profiler = nullptr);
  /// As tapehead::why_not_finite, for a step whose loss or gradient has just turned out non-finite.
  std::string why_not_finite(Index step);
  /// As tapehead::histograms, for the batch of a step.
  Json histograms(Index step);
  /// Evaluates the averaged weights, if there are any, on at most `examples` held-out examples;
  /// `told` and `stop` are as tapehead::evaluate's. `done` is called with a complete result, before
  /// the model gets its own weights back.
  Evaluation evaluate(Index examples, const std::function<void(const Evaluation&)>& done = {},
                      const std::function<void(double fraction)>& told = {},
                      const std::atomic<bool>* stop = nullptr);
  /// Throws what an evaluation would, as far as its first examples, the tokens of all and the
  /// metrics of the model show it.
  void check_evaluation(Index examples) const;
  /// Saves a checkpoint, after `steps` steps in all.
  void save(const RunFolder& folder, Index steps, const SaveOptions& options);

  /// On the other ranks: does what rank 0 does, until that ends. `stop` asks rank 0 to stop.
  void follow(const std::atomic<bool>& stop);
  /// Whether another rank has been asked to stop.
  bool wants_to_stop() const { return team_ && team_->wants_to_stop; }
  /// Lets the other ranks go.
  void end() { tell("end"); }

  TrainConfig config;  ///< with the options that the task found in its files
  const std::shared_ptr<const Task> task;
  const std::unique_ptr<TaskModel> model;
  const std::shared_ptr<const Loss> loss;  ///< in the place of cross-entropy

 private:
  const std::unique_ptr<Team> team_;  // null: one process
  const MakeOptimizer make_optimizer_;

 public:
  const Index shards;                            ///< from the configuration, or by default_shards
  const std::unique_ptr<Optimizer> optimizer;    ///< of this rank's share of the parameters
  const std::unique_ptr<WeightAverage> average;  ///< null where the configuration asks for none
  const std::function<double(Index step)> schedule;
  const std::vector<Metric> metrics;             ///< of evaluations
  const std::vector<ModelMetric> model_metrics;  ///< those that the configuration asks for

 private:
  Batch batch(Index step) const;
  double rate_at(Index step) const;
  StepOptions step_options() const;
  /// Tells the other ranks what to do, if there are any.
  void tell(const char* what, Index number = 0);
  std::map<std::string, double> measured() const;  ///< of the model, by name
  bool leads() const { return !team_ || team_->rank() == 0; }
  /// An optimizer of all parameters on rank 0 of a team; else null.
  std::unique_ptr<Optimizer> whole_optimizer() const;

  const ThreadScope threads_;  // destroyed first
};

}  // namespace tapehead
