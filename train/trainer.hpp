#pragma once
#include <tapehead/train/architecture.hpp>
#include <tapehead/train/run_folder.hpp>
#include <tapehead/train/step.hpp>

#include <atomic>

namespace tapehead {

/// How well a model does on the held-out examples.
struct Evaluation {
  double loss = 0;         ///< mean over all targets that count, in nats
  double exact_match = 0;  ///< share of answers wholly right by greedy decoding; tasks with answers
  Index examples = 0;
};
/// At most `examples` of them. On all threads; the result doesn't depend on their number.
Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode = true);

/// Told what happens, on the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void began(const TrainConfig&, const TaskModel&, Index first_step) { (void)first_step; }
  virtual void stepped(Index step, double lr, const StepResult&) { (void)step, (void)lr; }
  virtual void evaluated(Index step, const Evaluation&) { (void)step; }
};

struct TrainOutcome {
  Index steps = 0;  ///< done, all in all
  bool interrupted = false;
  Evaluation evaluation;  ///< the last one
  double seconds = 0;
  std::size_t peak_bytes = 0;  ///< of all tensors at once, the model's and the optimizer's too
};

/// The task that a configuration asks for. What it found in its files goes to task_options, so that
/// the configuration as it is then written makes the same task without them.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry);
std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model);
/// Completes and checks a configuration, reading no file: names, ranges, shards, what the task's
/// options are without saying. Throws UsageError that names the option.
TrainConfig checked(TrainConfig config, const Registry& registry);

/// Trains in `folder`, from its checkpoint where it has one. When `stop` becomes true, finishes
/// the step, saves and returns. Throws Error, keeping the last checkpoint, at a step whose loss or
/// gradient isn't finite.
/// A line of metrics.jsonl is a JSON object: step, loss, lr and grad_norm of that step; at
/// evaluations val_loss and, of a task with answers, exact_match; where a temperature is learned,
/// attention_scale, by module MultiHeadAttention::learned_scales; and last of all, under time, what
/// another run of the same configuration will not repeat: seconds and tokens_per_second.
TrainOutcome train(const TrainConfig& config, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop);

/// A model that was trained, its task and configuration, for eval, sample and attention.
struct LoadedRun {
  TrainConfig config;
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  Index steps = 0;
};

struct SampleOptions {
  double temperature = 1;  ///< 0 is greedy
  Index top_k = 0;         ///< 0: all
  double top_p = 1;
  Index tokens = 0;  ///< to generate, at most
  int end = -1;      ///< the symbol after which nothing more is said; -1: none is
  std::uint64_t seed = 0;
};
/// Continues `prompt`, or answers it, token by token; `told` hears of each new one. Returns the
/// prompt and what follows: less than was asked for where the model's answer ends sooner. A gpt
/// keeps the keys and values of what it has read; once its context is full, it forgets the older
/// half and reads the rest again, so that it always sees between half a context and a whole one.
/// Throws ValueError for options and prompts that can't be.
std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& told = {});

}  // namespace tapehead
