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

/// Returns the number of validation examples that a run's evaluations use.
Index evaluated_examples(const TrainConfig& config, const Task& task);

/// The state that training changes, on one rank. The constructor sets the calling thread's number
/// of threads, and the destructor restores it; both must run on the same thread. All ranks must
/// call the same functions in the same order.
class Learner {
 public:
  /// Prepares a plan's model for training; a plan allows one learner at a time. A `fresh` learner
  /// starts from initial weights, or from --init. Otherwise call `begin` next, which loads a
  /// checkpoint. With several processes, each passes `make_ranks`.
  Learner(const Plan& plan, const Registry& registry, bool fresh, const MakeRanks& make_ranks = {});

  /// Loads the folder's last checkpoint, if any, on rank 0. Other ranks pass null and receive rank
  /// 0's state. Returns the number of steps done so far. Throws ValueError if two tensors to save
  /// have the same name.
  Index begin(const RunFolder* folder);
  /// Runs step number `step` (from 0). The profiler, if any, records it.
  StepResult step(Index step, Profiler* profiler = nullptr);
  /// Explains a non-finite loss or gradient of this step, like tapehead::explain_non_finite.
  std::string explain_non_finite(Index step);
  /// Returns histograms for the batch of a step, like tapehead::histograms.
  Json histograms(Index step);
  /// Evaluates the model, or its EMA weights if there are any, on at most `examples` validation
  /// examples. `on_progress` and `stop` are as in tapehead::evaluate. Calls `done` with the
  /// complete result while the EMA weights are still in the model.
  Evaluation evaluate(Index examples, const std::function<void(const Evaluation&)>& done = {},
                      const std::function<void(double fraction)>& on_progress = {},
                      const std::atomic<bool>* stop = nullptr);
  /// Throws the errors that an evaluation would throw: checks all tokens, a first batch and the
  /// model metrics.
  void check_evaluation(Index examples) const;
  /// Returns whether `mine` is true on any rank.
  bool any(bool mine) { return ranks_ ? ranks_->any(mine) : mine; }
  /// Returns the text of rank 0 on all ranks.
  std::string broadcast(std::string text);

  const TrainConfig config;
  const std::shared_ptr<const Task> task;
  const std::shared_ptr<TaskModel> model;
  const std::shared_ptr<const Loss> loss;  ///< custom loss, or null for cross-entropy

  const Index shards;  ///< --shards, or default_shards
  const std::unique_ptr<Optimizer> optimizer;
  const std::unique_ptr<WeightAverage> average;  ///< EMA of the weights; null without --average
  const std::function<double(Index step)> schedule;
  const std::vector<Metric> metrics;             ///< metrics computed at evaluations
  const std::vector<ModelMetric> model_metrics;  ///< model metrics that the configuration enables

 private:
  Batch batch(Index step) const;
  double rate_at(Index step) const;
  StepOptions step_options() const;
  std::map<std::string, double> measured() const;  ///< values of model_metrics by name
  /// Copies rank 0's state to the other ranks.
  void broadcast_state();

  const std::unique_ptr<Ranks> ranks_;  // null for a single process
  const ThreadScope threads_;           // destroyed first
};

}  // namespace tapehead
