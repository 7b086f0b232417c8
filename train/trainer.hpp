#pragma once
#include "config/validate.hpp"
#include "evaluate.hpp"
#include "model/generate.hpp"
#include "plan.hpp"
#include "runs/run_folder.hpp"
#include "step/ranks.hpp"
#include "step/step.hpp"

#include <atomic>

namespace tapehead {

/// An observer of a training run. Its functions are called on the training thread, unless noted.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void began(const TrainConfig&, const TaskModel&, Index /*first_step*/) {}
  virtual void stepped(Index /*step*/, double /*lr*/, const StepResult&) {}
  /// Reports the progress of an evaluation: from any thread, but one call at a time.
  virtual void evaluating(Index /*step*/, double /*fraction*/) {}
  virtual void evaluated(Index /*step*/, const Evaluation&) {}
  /// Reports a line that was written to metrics.jsonl.
  virtual void recorded(const Json& /*line*/) {}
  /// Returns whether to write a metrics line for this step, in addition to --log-every.
  virtual bool wants_line(Index /*step*/) { return false; }
  /// Reports a warning in one line.
  virtual void noticed(Index /*step*/, const std::string& /*message*/) {}
};

/// The result of a training run.
struct TrainOutcome {
  Index steps = 0;  ///< total number of completed steps
  bool interrupted = false;
  bool reached_goal = false;     ///< stopped early, by --until
  bool out_of_patience = false;  ///< stopped early, by --patience
  Evaluation evaluation;         ///< the last evaluation
  Evaluation best;               ///< loss and exact match of the best evaluation
  Index best_step = -1;          ///< step of the best evaluation; -1: none yet
  Index skipped = 0;             ///< steps skipped by --skip-bad-steps
  std::string digest;            ///< weight hash of the last evaluation, with its note
  double seconds = 0;
  double gflops = 0;           ///< floating-point operations per second, in 1e9; see step_flops
  std::size_t peak_bytes = 0;  ///< peak memory of all tensors, including model and optimizer
};

/// The end of a training run with a non-finite loss, gradient or weight.
struct DivergedError : Error {
  DivergedError(Index step_, const std::string& text) : Error("{}", text), step(step_) {}
  Index step;
};

/// Trains in `folder`, starting from its last checkpoint if it has one. Before the first step,
/// throws the errors that an evaluation or a checkpoint would. If `stop` becomes true, finishes the
/// step, saves, and returns. An interrupted evaluation is repeated when the run is resumed. Also
/// returns if an evaluation reaches --until or exhausts --patience; the run is then complete.
/// Evaluations and saved models use the EMA weights, if any. If the loss or gradient is non-finite,
/// throws a DivergedError with the cause and keeps the last checkpoint. With --skip-bad-steps, it
/// skips the step instead.
///
/// metrics.jsonl gets a line every --log-every steps, at each evaluation, at least every 10
/// seconds, and for the last step. Each line is a JSON object. It has step, loss, lr and grad_norm.
/// Evaluations add val_loss, digest, attention_entropy, custom metrics and, for tasks with
/// completions, exact_match. Options add patience_left and histograms; learned temperatures add
/// attention_scale. Then comes update_ratio or, for a skipped step, `skipped` with the reason. The
/// last member, time, has the values that differ between equal runs: seconds and tokens_per_second.
/// See watch/diagnostics.hpp. The profiler, if any, records some steps. With several processes,
/// rank 0 calls this; each process passes `make_ranks`.
TrainOutcome train(const Plan& plan, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop,
                   Profiler* profiler = nullptr, const MakeRanks& make_ranks = {});
/// Runs the same training on a rank other than 0, without a folder.
void follow(const Plan& plan, const Registry& registry, const std::atomic<bool>& stop,
            const MakeRanks& make_ranks);

/// A trained model with its task and configuration, for eval, sample and attention.
struct LoadedRun {
  TrainConfig config;
  HeldOut held_out = HeldOut::split;  ///< the data that the task holds out
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  Index steps = 0;
};

}  // namespace tapehead
