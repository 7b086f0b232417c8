#include <tapehead/core/memory.hpp>
#include <tapehead/optim/optimizers.hpp>
#include <tapehead/train/goal.hpp>
#include <tapehead/train/learner.hpp>
#include <tapehead/train/stopwatch.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

namespace tapehead {
namespace {

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

/// One run. Nothing that it writes, times aside, depends on where it was interrupted: a line tells
/// of its own step alone.
class Training {
 public:
  Training(const TrainConfig& config, const Registry& registry, RunFolder& folder,
           TrainObserver& observer)
      : folder_(folder),
        observer_(observer),
        learner_(checked(config, registry), registry, !folder.has_checkpoint()),
        goal_(Goal::parse(config.until)),
        report_every_(std::max<Index>((learner_.config.steps + 50) / 100, 1)) {
    reset_memory_peak();
  }

  TrainOutcome run(const std::atomic<bool>& stop) {
    if (folder_.has_checkpoint())
      outcome_.steps = folder_.load(module(), learner_.optimizer.get(), learner_.average.get());
    folder_.rewind_metrics(outcome_.steps);
    recall();
    observer_.began(learner_.config, *learner_.model, outcome_.steps);
    if (is_done()) evaluate_now();
    while (!is_done()) {
      const bool saved = advance();
      if (!stop || is_done()) continue;
      if (!saved) save(false);
      outcome_.interrupted = true;
      break;
    }
    outcome_.seconds = watch_.seconds();
    outcome_.peak_bytes = memory_use().peak;
    return outcome_;
  }

 private:
  Module& module() { return *learner_.model->module; }
  bool is_done() const { return outcome_.steps >= learner_.config.steps || outcome_.reached_goal; }

  /// What the evaluations so far came to: lines of metrics have every bit of them.
  void recall() {
    for (const std::string& text : folder_.read_metrics()) {
      const auto line = nlohmann::json::parse(text);
      if (line.find("val_loss") == line.end() || !line["val_loss"].is_number()) continue;
      Evaluation evaluation;
      evaluation.loss = line["val_loss"];
      evaluation.exact_match = line.value("exact_match", 0.0);
      note(line["step"], evaluation);
    }
  }

  /// Whether it is the best so far. That a goal was reached counts where training stands.
  bool note(Index step, const Evaluation& evaluation) {
    outcome_.reached_goal = step == outcome_.steps && goal_ && goal_->reached(evaluation);
    const bool is_first = outcome_.best_step < 0;
    if (!std::isfinite(evaluation.loss) ||
        (!is_first && !is_better(evaluation, outcome_.best, learner_.task->has_answers())))
      return false;
    outcome_.best = evaluation;
    outcome_.best_step = step;
    return true;
  }

  /// One step, and what is due after it. Whether that was a checkpoint.
  bool advance() {
    const TrainConfig& config = learner_.config;
    const Stopwatch watch;
    const StepResult result = learner_.step(outcome_.steps);
    const Index done = ++outcome_.steps;
    if (!std::isfinite(result.loss) || !std::isfinite(result.norm))
      throw Error(
          "step {}: the loss is {} and its gradient's norm {}; try a smaller --lr or --clip", done,
          result.loss, result.norm);
    tokens_ += result.tokens;
    token_seconds_ += watch.seconds();
    observer_.stepped(done, learner_.optimizer->lr, result);

    const bool due = config.eval_every > 0 && done % config.eval_every == 0;
    const bool evaluated = due || done == config.steps;
    if (evaluated) evaluate_now();
    if (evaluated || done % report_every_ == 0) report(result, evaluated);
    // after its line: what a crash loses is then written again
    if (evaluated) save(note(done, outcome_.evaluation));
    return evaluated;
  }

  void evaluate_now() {
    outcome_.evaluation = learner_.evaluate(
        learner_.task->held_out_size(),
        [&](const Evaluation& result) { observer_.evaluated(outcome_.steps, result); });
  }

  void save(bool best) {
    folder_.save(module(), *learner_.optimizer, outcome_.steps, learner_.average.get(), best);
  }

  void report(const StepResult& result, bool evaluated) {
    nlohmann::ordered_json line = {{"step", outcome_.steps},
                                   {"loss", result.loss},
                                   {"lr", learner_.optimizer->lr},
                                   {"grad_norm", result.norm}};
    if (evaluated) {
      line["val_loss"] = outcome_.evaluation.loss;
      if (learner_.task->has_answers()) line["exact_match"] = outcome_.evaluation.exact_match;
    }
    ScaleCollector scales;
    module().visit(scales);
    if (!scales.found.empty()) line["attention_scale"] = scales.found;
    line["time"] = {{"seconds", watch_.seconds()},
                    {"tokens_per_second", static_cast<double>(tokens_) / token_seconds_}};
    folder_.append_metrics(line.dump());
    tokens_ = 0;
    token_seconds_ = 0;
  }

  RunFolder& folder_;
  TrainObserver& observer_;
  Learner learner_;
  std::optional<Goal> goal_;
  Index report_every_;
  TrainOutcome outcome_;
  Stopwatch watch_;
  Index tokens_ = 0;  // since the last report
  double token_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry) {
  auto task = registry.find_task(config.task).make(config.task_options);
  for (const auto& [name, value] : task->found()) config.task_options[name] = value;
  if (const auto goal = Goal::parse(config.until); goal && goal->accuracy && !task->has_answers())
    throw UsageError("--until {}: {} has no answers to match; end it by loss=X", config.until,
                     config.task);
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
  if (config.optimizer == "lion") {
    LionOptions options;
    options.lr = config.lr;
    options.beta1 = config.beta1;
    options.beta2 = config.beta2;
    options.weight_decay = config.weight_decay;
    return std::make_unique<Lion>(model, options);
  }
  AdamWOptions adam;
  adam.lr = config.lr;
  adam.beta1 = config.beta1;
  adam.beta2 = config.beta2;
  adam.weight_decay = config.weight_decay;
  if (config.optimizer == "adamw") return std::make_unique<AdamW>(model, adam);
  adam.lr = config.adam_lr;
  MuonOptions options;
  options.lr = config.lr;
  options.momentum = config.momentum;
  options.weight_decay = config.weight_decay;
  options.adam = adam;
  return std::make_unique<Muon>(model, options);
}

TrainOutcome train(const TrainConfig& config, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop) {
  return Training(config, registry, folder, observer).run(stop);
}

}  // namespace tapehead
