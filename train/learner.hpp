#pragma once
#include "../optim/average.hpp"
#include "../optim/optimizer.hpp"
#include "evaluate.hpp"
#include "files/json.hpp"
#include "plan.hpp"
#include "runs/run_folder.hpp"
#include "step/ranks.hpp"
#include "step/step.hpp"
#include "step/thread_scope.hpp"

#include <atomic>

namespace tapehead {

/// The number of held-out examples that a run's evaluations use.
Index evaluated_examples(const TrainConfig& config, const Task& task);

/// Everything that a plan's steps change. While it exists, the thread
/// that made it computes with the configuration's number of threads; the same thread must destroy
/// it. Each rank has a learner, and all ranks must call the same functions in the same order.
class Learner {
 public:
  /// Trains the model of a plan, which one learner at a time may do. A `fresh` learner begins with
  /// the weights of --init, where given; otherwise the caller is about to load a checkpoint. With
  /// several processes, each gets `make_ranks`.
  Learner(const Plan& plan, const Registry& registry, bool fresh, const MakeRanks& make_ranks = {});

  /// Loads the last checkpoint of a folder, if there is one; without a folder, gets the weights of
  /// rank 0. Returns the number of steps done. Throws ValueError if two tensors to be saved have
  /// the same name.
  Index begin(const RunFolder* folder);
  /// Runs step number `step`, counted from 0. The profiler, if any, records it.
  StepResult step(Index step, Profiler* profiler = nullptr);
  /// As tapehead::explain_non_finite, for a step whose loss or gradient has just turned out
  /// non-finite.
  std::string explain_non_finite(Index step);
  /// As tapehead::histograms, for the batch of a step.
  Json histograms(Index step);
  /// Evaluates the averaged weights, if there are any, on at most `examples` held-out examples;
  /// `on_progress` and `stop` are as tapehead::evaluate's. `done` is called with a complete result,
  /// before the model gets its own weights back.
  Evaluation evaluate(Index examples, const std::function<void(const Evaluation&)>& done = {},
                      const std::function<void(double fraction)>& on_progress = {},
                      const std::atomic<bool>* stop = nullptr);
  /// Throws what an evaluation would, as far as its first examples, the tokens of all and the
  /// metrics of the model show it.
  void check_evaluation(Index examples) const;
  /// Returns whether `mine` is true on any rank.
  bool any(bool mine) { return ranks_ ? ranks_->any(mine) : mine; }
  /// Returns the text of rank 0.
  std::string broadcast(std::string text);

  const TrainConfig config;
  const std::shared_ptr<const Task> task;
  const std::shared_ptr<TaskModel> model;
  const std::shared_ptr<const Loss> loss;  ///< in the place of cross-entropy

  const Index shards;  ///< from the configuration, or by default_shards
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<WeightAverage> average;  ///< null where the configuration asks for none
  const std::function<double(Index step)> schedule;
  const std::vector<Metric> metrics;             ///< of evaluations
  const std::vector<ModelMetric> model_metrics;  ///< those that the configuration asks for

 private:
  Batch batch(Index step) const;
  double rate_at(Index step) const;
  StepOptions step_options() const;
  std::map<std::string, double> measured() const;  ///< of the model, by name
  /// Copies the state of rank 0 to the other ranks.
  void broadcast_state();

  const std::unique_ptr<Ranks> ranks_;  // null: one process
  const ThreadScope threads_;           // destroyed first
};

}  // namespace tapehead
