// Chapter 6: the run. The engine trains as `tapehead train reverse` does.
#include "../../../core/ops.hpp"
#include "../../../train/config/registry.hpp"
#include "../../../train/config/validate.hpp"
#include "../../../train/learner.hpp"
#include "task.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// Adds copies of the weights, since training changes them.
void add_weights(const Module& model, CourseTensors& to) {
  walk(model, [&](const std::string& name, const Parameter& p) {
    to.push_back({name, p.value() + 0.0});
  });
}

/// Returns the losses and the weights after training.
CourseTensors trained(const TrainConfig& config, const Registry& registry, Index end) {
  Learner learner(make_plan(config, registry), registry, true);
  std::vector<double> losses;
  for (Index step = 0; step < end; ++step) losses.push_back(learner.step(step).loss);
  CourseTensors results = {{"losses", tensor(losses)}};
  add_weights(*learner.model->module, results);
  return results;
}

/// Returns the mean loss of rows `first` to `end` of the batch of step 0, and its gradients.
CourseTensors gradients_of(const Learner& learner, Index first, Index end) {
  const Batch batch = learner.model->batch(
      training_examples(*learner.task, learner.config.seed, 0, learner.config.batch));
  StepResult result;
  const Module& model = *learner.model->module;
  const bool whole = end - first == learner.config.batch;
  const Gradients gradients =
      sharded_gradients(model, whole ? batch : batch.rows(first, end), learner.config.seed, 0,
                        whole ? learner.shards : 1, result);
  CourseTensors results = {{"loss", tensor({result.loss}, Shape())}};
  walk(model, [&](const std::string& name, const Parameter& p) {
    results.push_back({name, gradients[p.value()]});
  });
  return results;
}

CourseTensors scaled(const CourseTensors& all, double factor) {
  CourseTensors results;
  for (const auto& [name, x] : all) results.push_back({name, x * factor});
  return results;
}

CourseTask gradients_task(const Learner& learner) {
  CourseTask task{"gradients", {{"steps", tensor({0})}}, gradients_of(learner, 0, 64)};
  const CourseTensors last = gradients_of(learner, 48, 64);
  CourseTensors last_only = scaled(last, 0.25);
  last_only[0].second = task.expected[0].second;  // the loss is right
  task.mistakes = {
      {"these are the gradients of the last 16 rows: add the gradients of all parts of the batch",
       last_only},
      {"each part divides by its own number of targets; divide by the targets of the whole batch",
       scaled(task.expected, 4)},
      {"this is the sum of the losses; divide by the number of targets",
       scaled(task.expected, 1024)}};
  task.advice =
      "run forward and backward for 16 rows at a time, and add the gradients in this order";
  return task;
}

CourseTask steps_task(const TrainConfig& config, const Registry& registry) {
  CourseTask task{"three_steps",
                  {{"steps", tensor({static_cast<double>(config.steps), 3})}},
                  trained(config, registry, 3)};
  task.compared = 1;  // Adam turns rounding errors of gradients near 0 into whole steps
  TrainConfig changed = config;
  changed.fixed_batch = true;
  task.mistakes = {{"each step needs its own batch: pass the number of the step",
                    trained(changed, registry, 3)}};
  changed = config;
  changed.warmup = 0;
  task.mistakes.push_back({"the warmup is missing", trained(changed, registry, 3)});
  task.advice = "the weights differ; look at the tasks above, and clip in float64";
  return task;
}

}  // namespace

TrainConfig course_config(const Registry& registry, Index steps) {
  TrainConfig config = registry.find_task("reverse").recipe;
  config.steps = steps;
  return validated(config, registry);
}

std::vector<CourseTask> run_tasks(const Registry& registry) {
  const TrainConfig config = course_config(registry, 300);
  const Learner learner(make_plan(config, registry), registry, true);
  CourseTask weights{"initial_weights", {{"seed", tensor({0})}}, {}};
  add_weights(*learner.model->module, weights.expected);
  weights.advice = "convert each normal number to a float before you multiply it";
  CourseTensors equal = weights.expected;
  for (auto& [name, x] : equal)
    if (name.find("out.weight") != std::string::npos) x = x * std::sqrt(2.0);
  weights.mistakes = {{"matrices that end in out.weight are drawn with 0.02 / sqrt(2)", equal}};
  return {weights, gradients_task(learner), steps_task(config, registry)};
}

CourseTask hash_task(const Registry& registry, Index steps) {
  const auto all = static_cast<double>(steps);
  return {"weight_hash",
          {{"steps", tensor({all, all})}},
          trained(course_config(registry, steps), registry, steps)};
}

}  // namespace tapehead
