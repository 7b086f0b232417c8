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

/// Called with the events of a run, on the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void began(const TrainConfig&, const TaskModel&, Index /*first_step*/) {}
  virtual void stepped(Index /*step*/, double /*lr*/, const StepResult&) {}
  /// How far an evaluation has come: called from any thread, but never from two at once.
  virtual void evaluating(Index /*step*/, double /*fraction*/) {}
  virtual void evaluated(Index /*step*/, const Evaluation&) {}
  /// Whether metrics.jsonl needs a line for this step, in addition to the lines of --log-every.
  virtual bool wants_line(Index /*step*/) { return false; }
  /// Something unusual, in one line.
  virtual void noticed(Index /*step*/, const std::string& /*message*/) {}
};

struct TrainOutcome {
  Index steps = 0;  ///< done in total
  bool interrupted = false;
  bool reached_goal = false;     ///< training ended early, by --until
  bool out_of_patience = false;  ///< the same, by --patience
  Evaluation evaluation;         ///< the last one
  Evaluation best;               ///< loss and exact match of the best one, whose checkpoint is kept
  Index best_step = -1;          ///< -1: none yet
  Index skipped = 0;             ///< steps skipped by --skip-bad-steps
  std::string digest;            ///< of the weights of the last evaluation, with its note
  double seconds = 0;
  double gflops = 0;           ///< step_flops over the time of the steps, in 1e9 per second
  std::size_t peak_bytes = 0;  ///< of all tensors at once, including model and optimizer
};

/// Training met a non-finite loss, gradient or weight, and can't go on.
struct DivergedError : Error {
  DivergedError(Index step_, const std::string& text) : Error("{}", text), step(step_) {}
  Index step;
};

/// Trains in `folder`, from its last checkpoint where it has one. Before the first step it throws
/// what an evaluation or a checkpoint would. When `stop` becomes true, it finishes the step, saves
/// and returns; an evaluation, before which all is saved, ends early, and is the first thing that
/// the resumed run does. It returns, too, when an evaluation reaches the goal of --until or is the
/// last that --patience waits for, and the run is then done. Evaluations and the models in
/// checkpoints use the averaged weights, where there are some. At a step with a non-finite loss or
/// gradient it throws a DivergedError that names the cause and keeps the last checkpoint; with
/// --skip-bad-steps it continues without the step.
///
/// metrics.jsonl gets a line every --log-every steps, at each evaluation, at least every 10
/// seconds, and for the last step of a run that stops. A line is a JSON object: step, loss, lr and
/// grad_norm of that step; at evaluations val_loss, digest, attention_entropy, metrics of a
/// program's own and, for a task with answers, exact_match; patience_left and histograms, where
/// asked for; where a temperature is learned, attention_scale; update_ratio, or skipped, the reason
/// why a step was skipped; and last, under time, what another run of the same configuration will
/// not repeat: seconds and tokens_per_second. See watch/diagnostics.hpp. The profiler, if any,
/// records some of the steps. With several processes, rank 0 calls this, and each process gets
/// `make_ranks`.
TrainOutcome train(const Plan& plan, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop,
                   Profiler* profiler = nullptr, const MakeRanks& make_ranks = {});
/// Runs the same training on another rank, without a folder.
void follow(const Plan& plan, const Registry& registry, const std::atomic<bool>& stop,
            const MakeRanks& make_ranks);

/// A trained model with its task and configuration, for eval, sample and attention.
struct LoadedRun {
  TrainConfig config;
  HeldOut held_out = HeldOut::split;  ///< what the task holds out of its data
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  Index steps = 0;
};

}  // namespace tapehead
