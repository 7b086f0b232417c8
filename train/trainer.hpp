#pragma once
#include "config/validate.hpp"
#include "evaluate.hpp"
#include "model/generate.hpp"
#include "runs/run_folder.hpp"
#include "step.hpp"

#include <atomic>

namespace tapehead {

/// Called with what happens, on the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void began(const TrainConfig&, const TaskModel&, Index first_step) { (void)first_step; }
  virtual void stepped(Index step, double lr, const StepResult&) { (void)step, (void)lr; }
  virtual void evaluated(Index step, const Evaluation&) { (void)step; }
  /// Something out of the ordinary, in a line.
  virtual void noticed(Index step, const std::string& message) { (void)step, (void)message; }
};

struct TrainOutcome {
  Index steps = 0;  ///< done, all in all
  bool interrupted = false;
  bool reached_goal = false;  ///< that of --until, which ended it
  Evaluation evaluation;      ///< the last one
  Evaluation best;            ///< loss and exact match of the best one, whose checkpoint is kept
  Index best_step = -1;       ///< none yet
  Index skipped = 0;          ///< steps left out, by --skip-bad-steps
  double seconds = 0;
  double gflops = 0;           ///< step_flops over the time that steps took, in 1e9 a second
  std::size_t peak_bytes = 0;  ///< of all tensors at once, the model's and the optimizer's too
};

/// Trains in `folder`, from its last checkpoint where it has one. When `stop` becomes true,
/// finishes the step, saves and returns; where an evaluation reaches the goal of --until, likewise,
/// and the run is done. Evaluations and checkpoints' models are of the averaged weights, where
/// there are some. At a step with a non-finite loss or gradient it throws Error that names the
/// cause, keeping the last checkpoint; or, by --skip-bad-steps, goes on without the step.
/// A line of metrics.jsonl is a JSON object: step, loss, lr and grad_norm of that step; at
/// evaluations val_loss and, of a task with answers, exact_match, and attention_entropy; where a
/// temperature is learned, attention_scale; update_ratio, or skipped, the cause of a step left out;
/// and last of all, under time, what another run of the same configuration will not repeat:
/// seconds and tokens_per_second. See train/diagnostics.hpp.
/// A profiler, where there is one, listens to some of the steps.
TrainOutcome train(const TrainConfig& config, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop,
                   Profiler* profiler = nullptr);

/// A model that was trained, its task and configuration, for eval, sample and attention.
struct LoadedRun {
  TrainConfig config;
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  Index steps = 0;
};

}  // namespace tapehead
