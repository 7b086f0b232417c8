#include <tapehead/core/gemm.hpp>
#include <tapehead/core/memory.hpp>
#include <tapehead/core/parallel.hpp>
#include <tapehead/optim/optimizers.hpp>
#include <tapehead/optim/schedule.hpp>
#include <tapehead/train/trainer.hpp>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

namespace tapehead {
namespace {

/// The threads that a run uses: more than shards would have nothing to do.
int thread_count(const TrainConfig& config) {
  const Index wanted =
      config.threads > 0 ? config.threads : static_cast<Index>(std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<Index>(wanted, 1, config.shards));
}

/// What each attention multiplies its scores by, as it has learned: `scores` by module and head,
/// and `queries`, `keys`, `values` where those are scaled.
class ScaleCollector : public Visitor {
 public:
  nlohmann::ordered_json found;

 private:
  void enter(const std::string&, Module& module) override {
    if (const auto* attention = dynamic_cast<const MultiHeadAttention*>(&module))
      for (const auto& [name, factors] : attention->learned_scales())
        found[module.path][name] = factors;
  }
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// One run. Nothing that it writes, times aside, depends on where it was interrupted: a line tells
/// of its own step alone.
class Training {
 public:
  Training(const TrainConfig& config, const Registry& registry, RunFolder& folder,
           TrainObserver& observer)
      : config_(checked(config, registry)),
        folder_(folder),
        observer_(observer),
        task_(make_task(config_, registry)),
        model_(make_model(config_, *task_, registry)),
        optimizer_(make_optimizer(config_, *model_->module)),
        report_every_(std::max<Index>((config_.steps + 50) / 100, 1)) {
    set_threads(thread_count(config_));
    set_products(config_.dtype == "bf16" ? Products::bf16 : Products::f32);
    reset_memory_peak();
  }
  ~Training() { set_products(Products::f32); }

  TrainOutcome run(const std::atomic<bool>& stop) {
    if (folder_.has_checkpoint()) outcome_.steps = folder_.load(*model_->module, optimizer_.get());
    folder_.rewind_metrics(outcome_.steps);
    observer_.began(config_, *model_, outcome_.steps);
    if (outcome_.steps >= config_.steps) evaluate_now();
    while (outcome_.steps < config_.steps) {
      const bool saved = advance();
      if (!stop || outcome_.steps == config_.steps) continue;
      if (!saved) save();
      outcome_.interrupted = true;
      break;
    }
    outcome_.seconds = watch_.seconds();
    outcome_.peak_bytes = memory_use().peak;
    return outcome_;
  }

 private:
  /// One step, and what is due after it. Whether that was a checkpoint.
  bool advance() {
    const Index step = outcome_.steps;
    const Stopwatch watch;
    std::vector<Example> examples;
    for (Index number = 0; number < config_.batch; ++number)
      examples.push_back(task_->training_example(config_.seed, step, number));
    optimizer_->lr = schedule_(step);
    const StepResult result = training_step(*model_->module, *optimizer_, model_->batch(examples),
                                            config_.seed, step, config_.shards, config_.clip);
    const Index done = ++outcome_.steps;
    if (!std::isfinite(result.loss) || !std::isfinite(result.norm))
      throw Error(
          "step {}: the loss is {} and its gradient's norm {}; try a smaller --lr or --clip", done,
          result.loss, result.norm);
    tokens_ += result.tokens;
    token_seconds_ += watch.seconds();
    observer_.stepped(done, optimizer_->lr, result);

    const bool due = config_.eval_every > 0 && done % config_.eval_every == 0;
    const bool evaluated = due || done == config_.steps;
    if (evaluated) evaluate_now();
    if (evaluated || done % report_every_ == 0) report(result, evaluated);
    if (evaluated) save();  // after its line: what a crash loses is then written again
    return evaluated;
  }

  void evaluate_now() {
    outcome_.evaluation = evaluate(*model_, *task_, task_->held_out_size());
    observer_.evaluated(outcome_.steps, outcome_.evaluation);
  }

  void save() { folder_.save(*model_->module, *optimizer_, outcome_.steps); }

  void report(const StepResult& result, bool evaluated) {
    nlohmann::ordered_json line = {{"step", outcome_.steps},
                                   {"loss", result.loss},
                                   {"lr", optimizer_->lr},
                                   {"grad_norm", result.norm}};
    if (evaluated) {
      line["val_loss"] = outcome_.evaluation.loss;
      if (task_->has_answers()) line["exact_match"] = outcome_.evaluation.exact_match;
    }
    ScaleCollector scales;
    model_->module->visit(scales);
    if (!scales.found.empty()) line["attention_scale"] = scales.found;
    line["time"] = {{"seconds", watch_.seconds()},
                    {"tokens_per_second", static_cast<double>(tokens_) / token_seconds_}};
    folder_.append_metrics(line.dump());
    tokens_ = 0;
    token_seconds_ = 0;
  }

  TrainConfig config_;
  RunFolder& folder_;
  TrainObserver& observer_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<TaskModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  Index report_every_;
  Schedule schedule_{config_.lr, config_.min_lr, config_.warmup, config_.steps};
  TrainOutcome outcome_;
  Stopwatch watch_;
  Index tokens_ = 0;  // since the last report
  double token_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry) {
  auto task = registry.find_task(config.task).make(config.task_options);
  for (const auto& [name, value] : task->found()) config.task_options[name] = value;
  return task;
}

std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model) {
  if (config.optimizer == "sgd") {
    SGDOptions options;
    options.lr = config.lr;
    options.momentum = config.beta1;
    options.weight_decay = config.weight_decay;
    return std::make_unique<SGD>(model, options);
  }
  AdamWOptions options;
  options.lr = config.lr;
  options.beta1 = config.beta1;
  options.beta2 = config.beta2;
  options.weight_decay = config.weight_decay;
  return std::make_unique<AdamW>(model, options);
}

TrainOutcome train(const TrainConfig& config, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop) {
  return Training(config, registry, folder, observer).run(stop);
}

}  // namespace tapehead
