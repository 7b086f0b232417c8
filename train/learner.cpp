#include "learner.hpp"
#include "model/fine_tuning.hpp"
#include "optimizers.hpp"
#include "step/not_finite.hpp"
#include "step/profiler.hpp"
#include "watch/histograms.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Sets a model's weights. If `fresh`, loads the weights of --init. Draws all other weights.
std::shared_ptr<TaskModel> with_weights(std::shared_ptr<TaskModel> model, const TrainConfig& config,
                                        bool fresh) {
  Module& module = *model->module;
  const bool given = fresh && !config.init.empty();
  const bool all_given = given && config.init_only.empty() && !config.init_missing;
  if (!all_given) initialise(module, config.seed, model->options.dtype);
  if (given && is_weights_file(config.init))
    load_initial_weights_from_file(module, config.init, config.init_only, config.init_missing);
  else if (given)
    load_initial_weights(module, RunFolder::open(config.init), config.init_only,
                         config.init_missing);
  return model;
}

std::unique_ptr<Ranks> ranks_of(const MakeRanks& given, const Registry& registry,
                                const TrainConfig& config) {
  if (given) return given(config);
  for (const RanksExtension& usual : registry.extensions<RanksExtension>())
    if (auto ranks = usual.make(config)) return ranks;
  return nullptr;
}

std::function<double(Index)> schedule_of(const TrainConfig& config, const Registry& registry) {
  auto made = registry.schedules().make(config.schedule)(config);
  if (!made) throw ValueError("--schedule {}: its function returned no schedule", config.schedule);
  return made;
}

std::vector<ModelMetric> asked_of(const TrainConfig& config, const Registry& registry) {
  std::vector<ModelMetric> asked;
  for (const ModelMetric& metric : registry.extensions<ModelMetric>())
    if (metric.asked(config)) asked.push_back(metric);
  return asked;
}

}  // namespace

Index evaluated_examples(const TrainConfig& config, const Task& task) {
  const Index all = held_out_size(task);
  return config.eval_examples > 0 ? std::min(config.eval_examples, all) : all;
}

Learner::Learner(const Plan& plan, const Registry& registry, bool fresh,
                 const MakeRanks& make_ranks)
    : config(plan.config),
      task(plan.task),
      model(with_weights(plan.model, config, fresh)),
      loss(custom_loss(*model, *task)),
      shards(plan.layout.shards),
      optimizer(require_result(
          config.optimizer,
          registry.optimizers().make(config.optimizer).make(config, *model->module))),
      average(config.average > 0
                  ? std::make_unique<WeightAverage>(parameters(*model->module), config.average)
                  : nullptr),
      schedule(schedule_of(config, registry)),
      metrics(registry.metrics()),
      model_metrics(asked_of(config, registry)),
      ranks_(ranks_of(make_ranks, registry, config)),
      threads_(plan.layout.threads) {}

StepOptions Learner::step_options() const {
  return {config.accumulate, config.smoothing,
          config.dtype == "bf16" ? Precision::bf16 : Precision::f32, loss.get()};
}

Index Learner::begin(const RunFolder* folder) {
  check_names(*model->module, *optimizer, average.get());
  Index steps = folder && folder->has_checkpoint()
                    ? folder->load(*model->module, optimizer.get(), average.get())
                    : 0;
  if (!ranks_) return steps;
  ranks_->broadcast(&steps, sizeof steps);
  broadcast_state();
  return steps;
}

void Learner::broadcast_state() {
  ranks_->broadcast(&optimizer->steps, sizeof optimizer->steps);
  for (Parameter* parameter : parameters(*model->module))
    ranks_->broadcast(parameter->change_bytes(), parameter->value().bytes().size());
  std::vector<Optimizer::State> states = optimizer->state();
  if (average) append(states, average->state());
  for (const Optimizer::State& state : states)
    ranks_->broadcast(state.tensor->mutable_bytes(), state.tensor->bytes().size());
}

std::string Learner::broadcast(std::string text) {
  if (!ranks_) return text;
  std::size_t length = text.size();
  ranks_->broadcast(&length, sizeof length);
  text.resize(length);
  ranks_->broadcast(text.data(), length);
  return text;
}

double Learner::rate_at(Index step) const {
  const double rate = schedule(step);
  if (!(rate >= 0 && std::isfinite(rate)))
    throw ValueError("--schedule {}: learning rate {} at step {}, expected a number of at least 0",
                     config.schedule, rate, step);
  return rate;
}

Batch Learner::batch(Index step) const {
  if (config.fixed_batch) step = 0;
  std::vector<Example> examples = training_examples(*task, config.seed, step, config.batch);
  // A shard is padded to its longest example. Shards with long examples start first, so that all
  // shards end at about the same time.
  const auto longer = [](auto& a, auto& b) { return a.tokens.size() > b.tokens.size(); };
  std::stable_sort(examples.begin(), examples.end(), longer);
  Batch all = model->batch(examples);
  check_batch(all, config.batch);
  return all;
}

StepResult Learner::step(Index step, Profiler* profiler) {
  const Span whole(profiler, step);
  StepOptions options = step_options();
  options.ranks = ranks_.get();
  if (profiler) {
    options.profiler = profiler;
    options.listeners = profiler->listeners(shards);
  }
  const Batch examples = [&] {
    const Span span(profiler, "batch");
    return batch(step);
  }();
  optimizer->lr = rate_at(step);
  const StepResult result = training_step(*model->module, *optimizer, examples, config.seed, step,
                                          shards, config.clip, options);
  if (!average || !result.is_finite()) return result;
  const Span span(profiler, "average");
  average->update(optimizer->steps);
  return result;
}

std::string Learner::explain_non_finite(Index step) {
  return tapehead::explain_non_finite(*model->module, batch(step), config.seed, step, shards,
                                      step_options());
}

Json Learner::histograms(Index step) {
  return tapehead::histograms(*model->module, batch(step), config.seed, step, shards,
                              step_options());
}

Evaluation Learner::evaluate(Index examples, const std::function<void(const Evaluation&)>& done,
                             const std::function<void(double fraction)>& on_progress,
                             const std::atomic<bool>* stop) {
  const EvaluationWeights in_model(average.get(), optimizer.get());
  Evaluation result = tapehead::evaluate(*model, *task, examples, true, on_progress, metrics, stop);
  if (any(result.examples == 0)) return {};
  result.metrics.merge(measured());
  if (done) done(result);
  return result;
}

std::map<std::string, double> Learner::measured() const {
  std::map<std::string, double> all;
  for (const ModelMetric& metric : model_metrics) {
    const std::vector<double> values = metric.compute(*model, *task, config);
    for (std::size_t i = 0; i < metric.names.size(); ++i) all[metric.names[i]] = values.at(i);
  }
  return all;
}

void Learner::check_evaluation(Index examples) const {
  check_held_out(*task, examples);
  tapehead::evaluate(*model, *task, std::min(examples, evaluation_batch_size(*task)), true, {},
                     metrics);
  measured();
}

}  // namespace tapehead
