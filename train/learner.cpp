#include "learner.hpp"
#include "model/fine_tuning.hpp"
#include "optimizers.hpp"
#include "plan.hpp"
#include "watch/not_finite.hpp"
#include "watch/profiler.hpp"

namespace tapehead {
namespace {

/// The model that a configuration begins with: its weights are drawn, or where `fresh` taken from
/// --init.
std::unique_ptr<TaskModel> first_model(const TrainConfig& config, const Task& task,
                                       const Registry& registry, bool fresh) {
  const bool given = fresh && !config.init.empty();
  auto model = given ? outline_model(config, task, registry) : make_model(config, task, registry);
  if (given) start_from(*model->module, config.init);
  freeze(*model->module, config.freeze);
  return model;
}

}  // namespace

Learner::Learner(TrainConfig config_, const Registry& registry, bool fresh,
                 std::shared_ptr<const Task> task_)
    : config(std::move(config_)),
      task(task_ ? std::move(task_) : make_task(config, registry)),
      model(first_model(config, *task, registry, fresh)),
      shards(layout(config, *task, *model).shards),
      optimizer(registry.optimizers().make(config.optimizer).make(config, *model->module)),
      average(config.average > 0
                  ? std::make_unique<WeightAverage>(parameters(*model->module), config.average)
                  : nullptr),
      schedule(registry.schedules().make(config.schedule)(config)),
      metrics(registry.metrics()),
      threads_(layout(config, *task, *model).threads) {}

StepOptions Learner::step_options() const {
  return {config.accumulate, config.smoothing,
          config.dtype == "bf16" ? Precision::bf16 : Precision::f32};
}

Batch Learner::batch(Index step) const {
  std::vector<Example> examples;
  for (Index number = 0; number < config.batch; ++number)
    examples.push_back(task->training_example(config.seed, step, number));
  return model->batch(examples);
}

StepResult Learner::step(Index step, Profiler* profiler) {
  const Span whole(profiler, step);
  StepOptions options = step_options();
  if (profiler) {
    options.profiler = profiler;
    options.listeners = profiler->listeners(shards);
  }
  const Batch examples = [&] {
    const Span span(profiler, "batch");
    return batch(step);
  }();
  optimizer->lr = schedule(step);
  const StepResult result = training_step(*model->module, *optimizer, examples, config.seed, step,
                                          shards, config.clip, options);
  if (!average || !result.is_finite()) return result;
  const Span span(profiler, "average");
  average->update(optimizer->steps);
  return result;
}

std::string Learner::why_not_finite(Index step) {
  return tapehead::why_not_finite(*model->module, batch(step), config.seed, step, shards,
                                  step_options());
}

Evaluation Learner::evaluate(Index examples, const std::function<void(const Evaluation&)>& told) {
  const Averaged in_model(average.get());
  const Evaluation result = tapehead::evaluate(*model, *task, examples, true, {}, metrics);
  if (told) told(result);
  return result;
}

}  // namespace tapehead
